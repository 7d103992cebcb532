/** W10: what the journal, the gate and the log cost an agent, beside the same model and tool called by a bare loop. */
import { join } from 'node:path';
import { defineGraph } from 'signalbox';
import { z } from 'zod';
import { sqliteBox } from '../lib/box.mjs';
import { expect, now, quantile, scratch, spent } from '../lib/measure.mjs';

/** Conversations before the clock starts. */
const WARM = 150;

/** Says at once what it is to say: a call of the tool for each turn, then a text. */
class InstantModel {
  #turns;
  /** When each of its calls began and ended. */
  calls = [];

  constructor(turns) {
    this.#turns = turns;
  }

  call({ messages }) {
    const from = now();
    const turn = (messages.length - 1) / 2;
    const isLast = turn === this.#turns;
    const call = { id: `call_${turn}`, tool: 'look_up', arguments: JSON.stringify({ id: `R-${turn}`, most: 5 }) };
    const reply = {
      text: isLast ? 'That is all.' : '',
      calls: isLast ? [] : [call],
      finish: isLast ? 'stop' : 'tools',
      usage: { input: 400, output: 40 },
      model: 'bench/instant',
      attempts: 1,
    };
    this.calls.push({ from, to: now() });
    return Promise.resolve(reply);
  }
}

const looked = [];

function lookUp({ id, most }) {
  const from = now();
  const found = {
    id,
    title: `Order ${id}`,
    paid: 120.5,
    currency: 'EUR',
    items: ['A lamp', 'Two bulbs'].slice(0, most),
  };
  looked.push({ from, to: now() });
  return found;
}

const TOOL = {
  name: 'look_up',
  description: 'Looks an order up.',
  effect: 'read',
  input_schema: {
    type: 'object',
    required: ['id'],
    additionalProperties: false,
    properties: { id: { type: 'string', pattern: '^R-[0-9]+$' }, most: { type: 'integer', minimum: 1, maximum: 20 } },
  },
};

const SYSTEM = 'You answer questions about orders.';
const PROMPT = 'What do we know of these orders?';

function graphOf(turns) {
  const graph = defineGraph({
    name: 'looker',
    input: z.object({}),
    state: z.object({ customer: z.string().default('C-1') }),
  });
  const work = graph.agent({
    model: 'bench/instant',
    contract: { version: '1.0', agent_name: 'looker', allowed_tools: [TOOL] },
    tools: { look_up: lookUp },
    system: SYSTEM,
    prompt: PROMPT,
    maxTurns: turns + 1,
  });
  return graph.build({ entry: 'work', nodes: { work }, routes: {} });
}

async function bareLoop(model) {
  const messages = [{ role: 'user', text: PROMPT }];
  for (;;) {
    const tools = [{ name: TOOL.name, description: TOOL.description, input: TOOL.input_schema }];
    const { text, calls } = await model.call({ model: 'bench/instant', system: SYSTEM, messages, tools });
    if (calls.length === 0) return text;
    messages.push({ role: 'assistant', calls });
    for (const { id, tool, arguments: args } of calls)
      messages.push({ role: 'tool', id, tool, result: JSON.stringify(await lookUp(JSON.parse(args))) });
  }
}

/** Conversations of so many turns, one over the box and one bare by turns. */
export async function turns({ durability, conversations, turns: length }) {
  const model = new InstantModel(length);
  const box = sqliteBox(join(scratch(), 'box.db'), durability, { models: model });
  const graph = graphOf(length);
  const byBox = async () => (await (await box.start(graph, {})).settled()).output;
  const ours = new Measured(byBox, model);
  const bare = new Measured(() => bareLoop(model), model);
  for (let index = 0; index < WARM + conversations; index += 1)
    for (const each of [ours, bare]) await each.converse(index >= WARM);
  await box.close();
  return { ours: ours.result(length), bare: bare.result(length) };
}

/** Times in ms. */
class Measured {
  #converse;
  #model;
  #cpu = 0;
  #conversations = 0;
  #toTool = [];
  #toModel = [];
  #both = [];

  constructor(converse, model) {
    this.#converse = converse;
    this.#model = model;
  }

  async converse(counts) {
    const { calls } = this.#model;
    calls.length = 0;
    looked.length = 0;
    const { cpuMs } = await spent(async () => expect((await this.#converse()) === 'That is all.', 'no reply'));
    if (!counts) return;
    this.#conversations += 1;
    this.#cpu += cpuMs;
    for (const [turn, { from, to }] of looked.entries()) {
      const [toTool, toModel] = [from - calls[turn].to, calls[turn + 1].from - to];
      this.#toTool.push(toTool);
      this.#toModel.push(toModel);
      this.#both.push(toTool + toModel);
    }
  }

  /** CPU time has the start and the end of a run in it as well. */
  result(length) {
    return {
      toTool: quantile(this.#toTool, 0.5),
      toModel: quantile(this.#toModel, 0.5),
      turn: quantile(this.#both, 0.5),
      turnP99: quantile(this.#both, 0.99),
      cpuPerTurn: this.#cpu / (this.#conversations * length),
    };
  }
}
