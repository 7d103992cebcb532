import {
  type Bound,
  type BudgetLeft,
  type ContractBudgets,
  type GateOptions,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Refusal,
  type ToolCall,
} from '@signalbox/kernel';
import type { ModelMessage, ModelReply, ModelRequest, SecretSource, Tool } from '@signalbox/ports';
import type { Judged } from '../gate/call-judge.ts';
import type { VisitFacts } from '../gate/gate-facts.ts';
import { ToolGate } from '../gate/tool-gate.ts';
import type { ToolOutcome } from '../gate/tool-outcome.ts';
import { errorDataOf } from '../journal/error-data.ts';
import type { TaskExecution } from '../journal/execution.ts';
import { unminded } from '../journal/unminded.ts';
import { notMended, refusedByModel, tooManyTurns } from './agent-errors.ts';
import { AGENT_DEFAULTS, type AgentSpec } from './agent-spec.ts';
import { concealOutput, concealReply, markedSchemas } from './conceal-reply.ts';
import { LoopWatch } from './loop-watch.ts';
import { callModel, MODEL_OP, type ModelDeps } from './model-operation.ts';
import { asksSomebody, type ReadReply, readReply } from './reply.ts';
import { settleUnsure } from './settle-unsure.ts';
import { type LeftOut, type StateSummary, stateSummary } from './state-summary.ts';

export interface AgentDeps extends Omit<ModelDeps, 'bounds' | 'onReply' | 'isHeld'> {
  readonly facts: VisitFacts;
  readonly tool: (name: string) => Tool | undefined;
  readonly secrets: SecretSource;
  readonly gate: GateOptions;
  /** What an answer to an earlier pass established, for the prompt. */
  readonly answersText: string;
  /** The bound on the calls of a tool in the run's session; undefined where it has none. */
  readonly inSession: (tool: string, most: number) => Promise<Bound | undefined>;
  /** Bounds of accounts that are shared with other runs. */
  readonly shared: (budgets: ContractBudgets) => Promise<readonly Bound[]>;
  /** What these bounds, and those of graph and node, leave by now. */
  readonly left: (bounds: readonly Bound[]) => readonly BudgetLeft[];
}

/**
 * The loop of an agent node (docs/design/agents-and-gate.md).
 *  1. Whatever reaches outside goes through the journal: a model call, or a tool call behind the gate.
 *  2. All calls of one reply are judged first; then they run in the order given, and the first that does not come to a
 *     result stops those behind it. The model is told of each.
 *  3. It ends with a reply without calls that fits schema and rules, or in an error that says which bound was met.
 *  4. A visit that begins with the replies of one that has failed does not fail by them: where they lead to an error, the model
 *     is asked anew from where it went wrong. What its calls have done stands.
 */
export class AgentLoop {
  readonly #execution: TaskExecution;
  readonly #spec: AgentSpec;
  readonly #deps: AgentDeps;
  readonly #gate: ToolGate;
  /** Of its reply, those that mark anything. */
  readonly #marked: readonly JsonObject[];
  #watch = new LoopWatch();
  readonly #messages: ModelMessage[];
  #model: string;
  #degraded = false;
  #repairs = 0;
  #turn = 0;
  /** Up to where it went well, for whoever goes on from there. */
  #sound: { readonly turn: number; readonly messages: number } = { turn: 0, messages: 1 };
  #known: string | undefined;
  #summed: { readonly changes: number; readonly summary: StateSummary } | undefined;
  /** Texts for the next call of the model that could not be made. */
  #unmade: LeftOut[] = [];

  constructor(execution: TaskExecution, spec: AgentSpec, deps: AgentDeps) {
    this.#execution = execution;
    this.#spec = spec;
    this.#deps = deps;
    this.#model = spec.model;
    this.#marked = markedSchemas(spec);
    this.#messages = [{ role: 'user', text: spec.prompt }];
    const { tool, secrets, gate: options, spare, facts } = deps;
    this.#gate = new ToolGate(execution, facts, {
      contract: spec.contract,
      tool,
      secrets,
      options,
      bridge: spec.bridge,
      spare,
      bounds: () => this.#bounds(),
      inSession: deps.inSession,
      left: deps.left,
    });
  }

  async run(): Promise<JsonValue> {
    const { maxTurns = AGENT_DEFAULTS.maxTurns } = this.#spec;
    for (;;) {
      try {
        for (; this.#turn < maxTurns; this.#turn += 1) {
          const output = await this.#takeTurn();
          if (output !== undefined) return output;
        }
        throw tooManyTurns(maxTurns);
      } catch (error) {
        if (!this.#execution.isTakenOver(this.#execution.lastNamed(MODEL_OP))) throw error;
        this.#goBack(this.#turn < maxTurns ? this.#sound : { turn: 0, messages: this.#messages.length });
      }
    }
  }

  async #takeTurn(): Promise<JsonValue | undefined> {
    if (this.#repairs === 0) this.#isSound();
    const offered = this.#offer();
    const reply = await this.#call(offered);
    if (reply.calls.length > 0 && !asksSomebody(reply.text) && !isTakenBack(reply)) {
      await this.#callTools(reply, offered);
      return undefined;
    }
    this.#decide(reply, offered, []);
    return await this.#end(reply);
  }

  #isSound(): void {
    this.#sound = { turn: this.#turn, messages: this.#messages.length };
  }

  #goBack({ turn, messages }: { readonly turn: number; readonly messages: number }): void {
    this.#turn = turn;
    this.#messages.splice(messages);
    this.#repairs = 0;
    this.#watch = new LoopWatch();
  }

  // ── the model ──────────────────────────────────────────────────────────────────────────────────────────────

  #offer(): ReturnType<ToolGate['offered']> {
    const tools = this.#gate.offered();
    const off = tools.withheld.map(({ tool }) => tool);
    const now = JSON.stringify([tools.offered, off]);
    if (this.#known !== undefined && this.#known !== now)
      this.#execution.toolsChanged(this.#spec.contract.hash, { on: tools.offered, off });
    this.#known = now;
    return tools;
  }

  async #call({ offered }: ReturnType<ToolGate['offered']>): Promise<ModelReply> {
    for (;;) {
      try {
        const reply = await callModel(this.#execution, this.#request(offered), {
          ...this.#deps,
          bounds: () => this.#bounds(),
          onReply: reply => this.#conceal(reply),
          isHeld: this.#marked.length > 0,
          leftOut: [...this.#summary().leftOut, ...this.#unmade],
        });
        this.#unmade = [];
        return reply;
      } catch (error) {
        if (!this.#degrades(error)) throw error;
      }
    }
  }

  #request(offered: readonly string[]): ModelRequest {
    const { contract, maxOutputTokens, temperature, output, repairModel } = this.#spec;
    const schema = contract.output ?? output;
    return {
      model: this.#repairs > 0 ? (repairModel ?? this.#model) : this.#model,
      system: this.#system(),
      messages: [...this.#messages],
      ...(offered.length === 0 ? {} : { tools: offered.map(name => this.#toolOf(name)) }),
      ...(schema === undefined ? {} : { output: schema.json }),
      ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
      ...(temperature === undefined ? {} : { temperature }),
    };
  }

  #toolOf(name: string) {
    const { description, input } = this.#spec.contract.tools.get(name)!.definition;
    return { name, input, ...(description === undefined ? {} : { description }) };
  }

  /** Summary and dynamic prompts stand at its end, in every call. */
  #system(): string {
    const { system = '' } = this.#spec;
    return [system, this.#deps.answersText, this.#summary().text].filter(part => part !== '').join('\n\n');
  }

  /** Made once for each change of what it is made of. */
  #summary(): StateSummary {
    const { facts } = this.#deps;
    const { changes } = facts;
    if (this.#summed?.changes !== changes)
      this.#summed = { changes, summary: stateSummary(this.#spec.contract, facts.now) };
    return this.#summed.summary;
  }

  /** At a budget of the contract that degrades the cheaper model goes on, once. */
  #degrades(error: unknown): boolean {
    const { contract, cheaperModel } = this.#spec;
    const isRefused = this.#execution.isRefused(this.#execution.lastNamed(MODEL_OP));
    if (!isRefused || this.#degraded || contract.definition.budgets?.onReached !== 'degrade') return false;
    if (cheaperModel === undefined) return false;
    this.#degraded = true;
    this.#execution.decide('model', {
      chosen: cheaperModel,
      options: [this.#model, cheaperModel],
      rejected: [{ option: this.#model, code: 'overBudget', reason: errorDataOf(error).message }],
      reason: 'The budget is reached; a cheaper model goes on.',
      decidedBy: 'rule:budget',
    });
    this.#model = cheaperModel;
    return true;
  }

  async #bounds(): Promise<readonly Bound[]> {
    const { budgets, name } = this.#spec.contract.definition;
    if (budgets === undefined) return [];
    const question = budgets.onReached === 'ask' ? {} : undefined;
    // Twice the amount is the agent's own to spend; what it shares with others is not its to stretch.
    const times = this.#degraded ? { times: 2 } : {};
    const own =
      budgets.run === undefined ? [] : [{ account: `agent:${name}`, allowed: budgets.run, question, ...times }];
    return [...own, ...(await this.#deps.shared(budgets))];
  }

  // ── its calls ──────────────────────────────────────────────────────────────────────────────────────────────

  #decide(
    { model }: ModelReply,
    { offered, withheld }: ReturnType<ToolGate['offered']>,
    judged: readonly JudgedCall[],
  ): void {
    const chosen = judged.map(({ call }) => call.tool);
    const known = withheld.map(({ tool, code, reason }) => ({ option: tool, code, reason }));
    const isKnown = (held: HeldCall) => known.some(({ option, code }) => option === held.option && code === held.code);
    this.#execution.decide('tool', {
      chosen: chosen.length === 0 ? 'reply' : chosen,
      options: [...offered, 'reply'],
      rejected: [...known, ...judged.flatMap(heldOf).filter(held => !isKnown(held))],
      decidedBy: `model:${model}`,
    });
  }

  async #callTools(reply: ModelReply, offered: ReturnType<ToolGate['offered']>): Promise<void> {
    const { text, calls } = reply;
    this.#messages.push({ role: 'assistant', calls, ...(text === '' ? {} : { text }) });
    const judged: JudgedCall[] = [];
    const isTakenOver = this.#execution.isTakenOver(this.#execution.lastNamed(MODEL_OP));
    for (const call of calls) judged.push({ call, judged: await this.#gate.judge(call, isTakenOver) });
    this.#decide(reply, offered, judged);
    let looping: Error | undefined;
    let hasDone = false;
    let stopped = judged.some(each => each.judged.verdict === 'refused');
    const isParallel = !stopped && calls.every(({ tool }) => this.#isParallel(tool));
    const begun = isParallel ? judged.map(each => unminded(this.#gate.pass(each.call, each.judged))) : [];
    for (const [index, each] of judged.entries()) {
      const isRefused = each.judged.verdict === 'refused';
      const outcome: ToolOutcome | undefined =
        stopped && !isRefused && !isParallel
          ? undefined
          : await (begun[index] ?? this.#gate.pass(each.call, each.judged));
      if (outcome !== undefined && outcome.status !== 'done') stopped = true;
      if (outcome?.status === 'done' && outcome.unbridged !== undefined)
        this.#unmade.push({ what: `bridge of \`${each.call.tool}\``, reason: outcome.unbridged });
      if (outcome !== undefined && outcome.status !== 'refused') hasDone = true;
      const told = outcome === undefined ? NOT_DONE : toldOf(outcome);
      this.#tell(each.call, told, outcome?.status !== 'done');
      if (outcome !== undefined) looping ??= this.#watch.called(each.call.tool, each.call.arguments, told);
      if (looping !== undefined) stopped = true;
    }
    looping ??= this.#watch.turned();
    // What was done is not taken back.
    if (hasDone) this.#isSound();
    this.#countRepairs(judged.map(each => each.judged.refusal));
    if (looping !== undefined) throw looping;
  }

  #isParallel(tool: string): boolean {
    return this.#spec.contract.tools.get(tool)?.definition.parallel === true;
  }

  #tell({ id, tool }: ToolCall, result: JsonValue, failed: boolean): void {
    this.#messages.push({ role: 'tool', id, tool, result, ...(failed ? { failed: true as const } : {}) });
  }

  /** A model that cannot get its arguments right is shown what is wrong so often, and no more. */
  #countRepairs(refusals: readonly (Refusal | undefined)[]): void {
    const faulty = refusals.find(refusal => refusal !== undefined && REPAIRABLE.has(refusal.code));
    if (faulty === undefined) this.#repairs = 0;
    else this.#repair('ToolCallInvalid', faulty.message);
  }

  #repair(code: string, fault: string): void {
    const { maxRepairs = AGENT_DEFAULTS.maxRepairs } = this.#spec;
    this.#repairs += 1;
    if (this.#repairs > maxRepairs) throw notMended(code, fault, maxRepairs);
  }

  // ── its reply ──────────────────────────────────────────────────────────────────────────────────────────────

  #conceal(reply: ModelReply): void {
    this.#gate.conceal(reply.calls);
    concealReply(this.#execution, this.#marked, reply);
  }

  async #settle(read: JsonValue): Promise<JsonValue> {
    concealOutput(this.#execution, this.#marked, read);
    const output = await settleUnsure(this.#execution, this.#spec, this.#deps.facts, read);
    concealOutput(this.#execution, this.#marked, output);
    return output;
  }

  /** The output, or undefined when the loop goes on. */
  async #end({ text, finish }: ModelReply): Promise<JsonValue | undefined> {
    if (isTakenBack({ finish })) throw refusedByModel(text, finish);
    const { contract, output } = this.#spec;
    const read = finish === 'length' ? CUT_OFF : readReply(text, contract, output, this.#deps.facts.now);
    if (read.kind === 'output') return await this.#settle(read.output);
    this.#messages.push({ role: 'assistant', text });
    if (read.kind === 'fault') {
      this.#repair('ReplyInvalid', read.fault);
      this.#messages.push({ role: 'user', text: `${read.fault} Reply again, with that mended and nothing else.` });
      return undefined;
    }
    const answer = await this.#execution.ask('question', read.request);
    this.#messages.push({ role: 'user', text: `The answer to your question, confirmed: ${JSON.stringify(answer)}` });
    return undefined;
  }
}

const CUT_OFF: ReadReply = { kind: 'fault', fault: 'The reply was cut off at the longest it may be.' };

const REPAIRABLE: ReadonlySet<Refusal['code']> = new Set(['argumentsUnreadable', 'argumentsInvalid', 'unknownTool']);

interface JudgedCall {
  readonly call: ToolCall;
  readonly judged: Judged;
}

/** A call that was chosen and does not simply run: why not, as the record of the choice has it. */
interface HeldCall {
  readonly option: string;
  readonly code: Refusal['code'];
  readonly reason: string;
}

function heldOf({ call: { tool: option }, judged: { verdict, refusal, asksBudget } }: JudgedCall): HeldCall[] {
  if (refusal !== undefined) return [{ option, code: refusal.code, reason: refusal.message }];
  return [
    ...(asksBudget === true ? [{ option, code: 'overBudget' as const, reason: ASKS_BUDGET }] : []),
    ...(verdict === 'approval' ? [{ option, code: 'needsApproval' as const, reason: ASKS }] : []),
  ];
}

const ASKS = 'The contract asks for an approval.';
const ASKS_BUDGET = 'It would pass a budget, and a person is asked for more.';

const NOT_DONE: JsonObject = {
  refused: { code: 'notDone', message: 'Not done: another call of the same reply did not come to a result.' },
};

/** What the model is told of a call. */
function toldOf(outcome: ToolOutcome): JsonValue {
  switch (outcome.status) {
    case 'done':
      return outcome.text;
    case 'refused':
      return { refused: outcome.refusal as unknown as JsonObject };
    case 'failed': {
      const { code, message, permanent: isPermanent, details } = outcome.error;
      const attempts = isJsonObject(details ?? null) ? (details?.attempts ?? 1) : 1;
      return { failed: { code, message, retryable: isPermanent !== true, attempts } };
    }
  }
}

/** What a model said before it refused, or before a filter stopped it, it did not stand by: neither do its calls. */
function isTakenBack({ finish }: Pick<ModelReply, 'finish'>): boolean {
  return finish === 'refused' || finish === 'filtered';
}
