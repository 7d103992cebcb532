import { mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { webhookChannel } from '@signalbox/delivery-webhook';
import { cassetteModel, scriptedModel } from '@signalbox/testkit';
import {
  append,
  conversation,
  createSignalbox,
  defineGraph,
  type Signalbox,
  type SignalboxOptions,
  transcript,
} from 'signalbox';
import { z } from 'zod';
import { plainText } from '../../simulation/sim/plain.ts';

const KINDS = [
  ...(['input', 'nested', 'state', 'list', 'answer', 'card', 'pin', 'result', 'reference', 'number'] as const),
  ...(['output', 'working', 'item', 'inner', 'signal', 'reply', 'typed', 'argument', 'returned'] as const),
] as const;

/** Values that nobody may see, for one run. With a quote, a line end and a letter beyond ASCII in each text. */
export type Canaries = Readonly<Record<(typeof KINDS)[number], string>>;

export function canaries(run: number): Canaries {
  const text = (kind: string) => `canary-${kind}-${run}-"ß\n${(run * 7919 + kind.length * 104729).toString(36)}`;
  const made = Object.fromEntries(KINDS.map(kind => [kind, text(kind)]));
  return { ...made, number: String(7_000_000_000 + run) } as Canaries;
}

export const CONTRACT = {
  version: '1.0',
  agent_name: 'cashier',
  budgets: { run: { tokens: 1_000_000, toolCalls: 20 }, session: { toolCalls: 1_000 } },
  allowed_tools: [
    {
      name: 'charge',
      effect: 'once',
      approval: true,
      input_schema: {
        type: 'object',
        required: ['card', 'owner'],
        properties: { card: { type: 'string' }, owner: { type: 'object' }, cents: { type: 'integer' } },
      },
      output_schema: { type: 'object', properties: { token: { type: 'string' }, last: { type: 'string' } } },
      sensitive: ['/card', '/owner/pin'],
      sensitive_output: ['/token'],
      writes: { key: 'receipt', value: 'output' },
    },
    {
      name: 'look',
      effect: 'read',
      input_schema: {
        type: 'object',
        properties: { of: { type: 'array', items: { type: 'string', sensitive: true } } },
      },
      output_schema: {
        type: 'object',
        properties: { found: { type: 'array', items: { type: 'object', additionalProperties: { sensitive: true } } } },
      },
    },
    { name: 'refuse', effect: 'read', input_schema: { type: 'object' }, sensitive: ['/card'] },
  ],
} as const;

/** Like a canary, but nobody marked it: it has to be found wherever canaries are looked for. */
export function unmarked(run: number): string {
  return `unmarked-${run}-${(run * 7919 + 104729).toString(36)}`;
}

/** What handlers and tools saw: it has to be in the clear. */
export interface Seen {
  readonly values: unknown[];
}

/** A graph through which every canary goes by every way there is out of a run. */
export function canaryGraph(canary: Canaries, seen: Seen) {
  const builder = defineGraph({
    name: 'canaries',
    input: z.object({
      word: z.string().meta({ sensitive: true }),
      person: z.object({ name: z.string(), iban: z.string().meta({ sensitive: true }) }),
      account: z.number().meta({ sensitive: true }),
    }),
    state: z.object({
      secret: z.string().meta({ sensitive: true }).optional(),
      list: append(z.array(z.string()).meta({ sensitive: true })),
      trail: append(z.array(z.string())),
      code: z.string().optional(),
      receipt: z.json().optional(),
    }),
  });
  const intake = builder.step(async ctx => {
    const { word, person, account } = ctx.input;
    seen.values.push(word, person.iban, account);
    await ctx.run('look up', () => ({ found: `for ${word} and ${person.iban}`, account }));
    ctx.update({ secret: canary.state, list: [canary.list], trail: [`took ${word}`] });
    ctx.decide('who', { chosen: person.iban, options: [person.iban, 'nobody'], reason: `it is ${word}` });
    return { greeting: `Dear ${person.name}, ${word}`, account };
  });
  const fails = builder.step({ input: { word: 'nodes.intake.output.greeting' } }, ({ given, state }) => {
    seen.values.push(state.secret, state.list[0]);
    throw new Error(`cannot use ${JSON.stringify(given)}: ${state.secret}, ${state.list.join()}`);
  });
  const ask = builder.ask({
    title: { cel: "'Which code goes with ' + state.trail[0] + '?'" },
    message: { cel: "'It is for ' + input.person.name" },
    form: z.object({ code: z.string().meta({ sensitive: true }), note: z.string().optional() }),
    update: { code: 'output.values.code' },
  });
  const pay = builder.agent({
    model: 'test/one',
    contract: CONTRACT as never,
    tools: {
      refuse: args => {
        throw new Error(`no card like ${JSON.stringify(args)}`);
      },
      look: args => {
        seen.values.push(...(args as { of: string[] }).of);
        return { found: [{ it: canary.returned }] };
      },
      charge: async (args, { secret }) => {
        const key = await secret('secret:GATEWAY');
        seen.values.push((args as { card: string }).card, key);
        return { token: canary.result, last: `charged with ${key}` };
      },
    },
    prompt: ({ input, state }) => `Charge ${state.code}, of ${state.secret} and ${input.word}.`,
  });
  const Word = z.object({ word: z.string().meta({ sensitive: true }) });
  const makes = builder.step({ output: Word, decides: { point: 'made', chosen: 'output.word' } }, async ctx => {
    const { of, made } = await ctx.run('make', () => ({ of: canary.working, made: canary.output }));
    seen.values.push(of, made);
    return { word: made };
  });
  const body = builder.step({ output: z.string().meta({ sensitive: true }) }, () => canary.item);
  const each = builder.map({ items: '[1, 2]', body });
  const within = defineGraph({ name: 'within', input: z.object({ of: z.string() }) });
  const deep = within.step({ output: Word }, () => ({ word: canary.inner }));
  const inner = builder.subgraph(
    within.build({ entry: 'deep', nodes: { deep }, routes: {}, output: { found: "'in ' + output.word" } }),
    { input: { of: 'output[0]' } },
  );
  const hears = builder.wait({ signal: 'word', schema: Word });
  const writes = builder.agent({
    model: 'test/one',
    prompt: 'Write a word.',
    contract: { version: '1.0', agent_name: 'writer', allowed_tools: [] },
    output: Word,
  });
  const writesTyped = builder.agent({
    model: 'test/one',
    prompt: 'Write another.',
    contract: {
      version: '1.0',
      agent_name: 'typist',
      allowed_tools: [],
      output_schema: { type: 'object', properties: { word: { type: 'string', sensitive: true } } },
    } as never,
  });
  const breaks = builder.step({ input: { word: 'output.word' } }, ({ given }) => {
    seen.values.push((given as { word: string }).word);
    throw new Error(`cannot use ${JSON.stringify(given)}`);
  });
  const last = builder.step(async ctx => {
    seen.values.push(ctx.state.code, (ctx.state.receipt as { token: string }).token);
    ctx.session?.say(`done with ${ctx.state.code}`);
    ctx.session?.update({ code: ctx.state.code ?? null, of: ctx.input.person.name });
    await ctx.session?.messages();
    return { all: { ...ctx.state }, encoded: Buffer.from(String(ctx.state.code)).toString('base64') };
  });
  return builder.build({
    entry: 'intake',
    nodes: { intake, fails, ask, pay, last, makes, each, inner, hears, writes, writesTyped, breaks },
    routes: {
      intake: [{ to: 'makes', when: "size(state.secret.orValue('')) > 3" }, { to: 'ask' }],
      makes: [{ to: 'each', when: 'size(output.word) > 3' }, { to: 'ask' }],
      each: [{ to: 'inner', when: 'size(output[0]) > 3' }, { to: 'ask' }],
      inner: [{ to: 'hears', when: 'size(output.found) > 3' }, { to: 'ask' }],
      hears: [{ to: 'writes', when: 'size(output.word) > 3' }, { to: 'ask' }],
      writes: [{ to: 'writesTyped' }],
      writesTyped: [{ to: 'breaks' }],
      breaks: [{ to: 'fails', on: ['failed'] }, { to: 'ask' }],
      fails: [{ to: 'ask', on: ['failed'] }, { to: 'ask' }],
      ask: [{ to: 'pay', when: 'size(output.values.code) > 3' }, { to: 'last' }],
      pay: [{ to: 'last' }],
    },
  });
}

/** Two who talk about what neither may tell anybody else. */
export function canaryTalk(canary: Canaries) {
  return conversation({
    name: 'talk',
    input: z.object({ word: z.string().meta({ sensitive: true }) }),
    speakers: talk => ({
      ada: talk.agent({
        model: 'test/one',
        contract: { version: '1.0', agent_name: 'talker', allowed_tools: [] },
        timeout: '1m',
        say: { cel: 'output.comment' },
        prompt: ({ input, state }) => `Say ${(input as { word: string }).word}.\n${transcript(state.turns)}`,
        output: z.object({ comment: z.string() }),
      }),
      bob: talk.step({ timeout: '5s' }, () => ({ comment: `I heard ${canary.input}` })),
    }),
    maxTurns: 3,
  });
}

const HOME = fileURLToPath(new URL('../../../node_modules/.cache/sensitive-tests/', import.meta.url));

export function folderOfTheirOwn(): string {
  mkdirSync(HOME, { recursive: true });
  return mkdtempSync(join(HOME, 'work-'));
}

export interface CanaryDesk {
  readonly path: string;
  readonly log: string[];
  readonly hooks: string;
  /** Where what the model was told and said is recorded. */
  readonly cassette: string;
}

/** A box on SQLite as a process of a user's would open it; everything it is told goes to `log`. */
export function canaryBox({ path, log, hooks, cassette }: CanaryDesk, canary: Canaries, seen: Seen): Signalbox {
  const observer: SignalboxOptions['observer'] = {
    committed: (commit, run) => void log.push(JSON.stringify(commit), plainText(run)),
    onError: error => void log.push(String(error), JSON.stringify(error)),
    text: (_, delta) => void log.push(delta),
  };
  const charge = { card: canary.card, owner: { pin: canary.pin }, cents: 5 };
  const model = scriptedModel([
    {
      when: ({ messages }) => messages[0]?.role === 'user' && messages[0].text.startsWith('Say '),
      always: true,
      say: JSON.stringify({ comment: `of ${canary.input} I say nothing` }),
    },
    {
      when: ({ messages }) => messages[0]?.role === 'user' && messages[0].text === 'Write a word.',
      always: true,
      say: JSON.stringify({ word: canary.reply }),
    },
    {
      when: ({ messages }) => messages[0]?.role === 'user' && messages[0].text === 'Write another.',
      always: true,
      say: JSON.stringify({ word: canary.typed }),
    },
    { calls: [{ tool: 'look', arguments: { of: [canary.argument] } }] },
    { calls: [{ tool: 'refuse', arguments: { card: canary.card } }] },
    { text: `I take ${canary.card}`, calls: [{ tool: 'charge', arguments: charge }] },
    `Charged ${canary.card}, ${canary.pin}, token ${canary.result}, key ${canary.reference}.`,
  ]);
  return createSignalbox({
    path,
    observer,
    graphs: [canaryGraph(canary, seen), canaryTalk(canary)],
    secrets: () => canary.reference,
    // A cassette is a test's own file: it is told what it must not hold.
    models: cassetteModel({ file: cassette, mode: 'record', model, secrets: canary }),
    channels: [
      webhookChannel({
        name: 'hooks',
        url: hooks,
        secret: 'secret:SIGNING',
        secrets: () => `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`,
        allowHttp: true,
        allowAddresses: ['127.0.0.1'],
      }),
    ],
  });
}
