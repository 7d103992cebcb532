import {
  type BridgeOptions,
  bridgeResult,
  type CompiledTool,
  checkResult,
  codeOverBudget,
  costOf,
  type ErrorData,
  hasParts,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  jsonEqual,
  masked,
  type OfferedTools,
  offeredTools,
  type Refusal,
  SignalboxError,
  TELLS_CALLS_OF_ATTEMPTS_APART,
  type ToolCall,
} from '@signalbox/kernel';
import type { SecretSource } from '@signalbox/ports';
import type { EffectTools } from '../journal/effect-tools.ts';
import { errorDataOf } from '../journal/error-data.ts';
import type { TaskExecution } from '../journal/execution.ts';
import { PERMANENT } from '../journal/handler.ts';
import type { Operation } from '../journal/operation.ts';
import { approvalRequest } from './approval-request.ts';
import { CallJudge, type JudgeDeps, type Judged } from './call-judge.ts';
import { concealedOf } from './concealed-arguments.ts';
import { executeTool } from './execute-tool.ts';
import type { VisitFacts } from './gate-facts.ts';
import { toolContext } from './tool-context.ts';
import type { ToolOutcome } from './tool-outcome.ts';

export interface GateDeps extends JudgeDeps {
  readonly secrets: SecretSource;
  /** How results become texts for the prompt, where the contract does not say it. */
  readonly bridge?: BridgeOptions | undefined;
}

/** What an answer approved, and the question it answered. */
interface Approved {
  readonly subject: string;
  readonly op: string;
}

/**
 * The way of every call to the world (docs/design/agents-and-gate.md).
 *  1. A call is judged before anything of it is done, and the judgement is a fact: executed again, the same is read.
 *  2. What runs is the judgement's own arguments. What was approved is the digest of them: behind an approval the call is
 *     judged anew, by the state of then, and only the same digest runs, once: a retry that does it again asks again.
 *  3. A refusal is an outcome, not an error.
 */
export class ToolGate {
  readonly #execution: TaskExecution;
  readonly #facts: VisitFacts;
  readonly #deps: GateDeps;
  readonly #judge: CallJudge;

  constructor(execution: TaskExecution, facts: VisitFacts, deps: GateDeps) {
    this.#execution = execution;
    this.#facts = facts;
    this.#deps = deps;
    this.#judge = new CallJudge(execution, facts, deps);
  }

  /** What a model asks for is recorded with its reply, before it is judged. */
  conceal(calls: readonly ToolCall[]): void {
    for (const { tool, arguments: given } of calls) {
      const sensitive = this.#deps.contract.tools.get(tool)?.sensitive;
      if (sensitive !== undefined && hasParts(sensitive)) this.#execution.conceal(...concealedOf(given, sensitive));
    }
  }

  offered(): OfferedTools {
    return offeredTools(this.#deps.contract, this.#facts.now, this.#deps.options);
  }

  /**
   * All calls of one reply are judged before the first of them runs. `isTakenOver`: the reply is that of an attempt before, and
   * so is what was said of its calls.
   */
  judge(call: ToolCall, isTakenOver: boolean): Promise<Judged> {
    return this.#judge.judge(call, () => isTakenOver);
  }

  async pass(call: ToolCall, first: Judged): Promise<ToolOutcome> {
    if (first.verdict === 'refused') return this.#refused(call, first.refusal!);
    const stands = this.#judge.stands(call, first);
    this.#facts.begun(call.tool);
    let judged = stands ? first : await this.#judgeAgain(call, isOf(first.args!));
    let approved: Approved | undefined;
    for (;;) {
      if (judged.verdict === 'refused') {
        this.#facts.dropped(call.tool);
        return this.#refused(call, approved === undefined ? judged.refusal! : stale(judged.refusal!));
      }
      const { args, subject } = judged as Required<Judged>;
      const approval = subject === approved?.subject ? approved?.op : undefined;
      if (judged.verdict === 'ready' || approval !== undefined)
        return await this.#execute(call, judged as Required<Judged>, approval);
      const over = judged.asksBudget === true ? await this.#afford(call) : undefined;
      if (over !== undefined) return this.#overBudget(call, over);
      const { op, answer } = await this.#ask(call, judged as Required<Judged>);
      if (answer.action === 'approve') approved = { subject, op };
      else if (answer.action !== 'edit') return this.#declined(call, answer);
      const wanted = answer.action === 'edit' && isJsonObject(answer.values) ? { ...args, ...answer.values } : args;
      this.#facts.read((await this.#execution.refresh()) as JsonObject);
      judged = await this.#judgeAgain({ ...call, arguments: JSON.stringify(wanted) }, isOf(wanted));
    }
  }

  /** Of a call that is under way, which does not stand in its own way. */
  #judgeAgain(call: ToolCall, isSame: (before: JsonValue) => boolean): Promise<Judged> {
    return this.#facts.without(call.tool, () => this.#judge.judge(call, isSame));
  }

  /** Asks for more of the budget where there is not enough; gives why there is none. */
  async #afford(call: ToolCall): Promise<ErrorData | undefined> {
    const name = `afford:${call.tool}`;
    const asked = this.#execution.afford(name, costOf(this.#toolOf(call)), () => this.#judge.bounds(call));
    const op = this.#execution.lastNamed(name);
    try {
      await asked;
      return undefined;
    } catch (thrown) {
      if (!this.#execution.isRefused(op)) throw thrown;
      return errorDataOf(thrown);
    }
  }

  #refused(call: ToolCall, refusal: Refusal): ToolOutcome {
    this.#facts.refused(call.tool);
    return { status: 'refused', refusal };
  }

  /** It was not let through, so it counts for no limit; nor does it as refused, which is what the gate does. */
  #declined(call: ToolCall, { action, note }: JsonObject): ToolOutcome {
    this.#facts.dropped(call.tool);
    const why = typeof note === 'string' && note !== '' ? `: ${note}` : '.';
    const how = action === 'expired' ? 'Nobody approved the call in time' : 'The call was declined';
    const refusal: Refusal = {
      code: 'declined',
      message: `${how}${why}`,
      allowed: this.offered().offered,
      retryable: false,
    };
    return { status: 'refused', refusal };
  }

  async #ask(call: ToolCall, { args, subject }: Required<Judged>): Promise<{ op: string; answer: JsonObject }> {
    const { contract } = this.#deps;
    const tool = this.#toolOf(call);
    const reason = 'The contract asks for an approval.';
    const request = approvalRequest({ tool, contract: contract.hash, args, subject, reason });
    const name = `approve:${call.tool}`;
    const asked = this.#execution.ask(name, request, { grants: 'call' });
    const op = this.#execution.lastNamed(name);
    const answer = await this.#judge.whileAsked(tool, asked);
    return { op, answer: isJsonObject(answer) ? answer : { action: 'reject' } };
  }

  async #execute(call: ToolCall, judged: Required<Judged>, approval: string | undefined): Promise<ToolOutcome> {
    const { contract } = this.#deps;
    const { args } = judged;
    const performed = this.#perform(call, judged, approval);
    const op = this.#execution.lastNamed(call.tool);
    try {
      const output = await performed;
      if (this.#toolOf(call).compensate !== undefined) this.#execution.undoable({ op, judged: judged.op });
      this.#facts.ended(call.tool, false);
      const result = { tool: call.tool, args, output };
      const checked = checkResult(contract, result, this.#facts.now);
      if (checked.ok && Object.keys(checked.writes).length > 0) {
        this.#execution.update(checked.writes);
        this.#facts.wrote(checked.writes);
      }
      const { text, reason } = bridgeResult(contract, result, this.#facts.now, this.#deps.bridge);
      return { status: 'done', output, text, ...(reason === undefined ? {} : { unbridged: reason }) };
    } catch (thrown) {
      const error = errorDataOf(thrown);
      if (this.#execution.isRefused(op)) return this.#overBudget(call, error);
      this.#facts.ended(call.tool, true);
      return { status: 'failed', error };
    }
  }

  /** Whose account it is says which of its bounds: the tool's own limit, or a budget. */
  #overBudget(call: ToolCall, { message, details }: ErrorData): ToolOutcome {
    this.#facts.dropped(call.tool);
    this.#facts.refused(call.tool);
    const code = codeOverBudget(String(details?.account), call.tool);
    const { offered } = this.offered();
    const allowed = offered.filter(name => name !== call.tool);
    return { status: 'refused', refusal: { code, message, allowed, retryable: false } };
  }

  #perform(call: ToolCall, judged: Required<Judged>, approval: string | undefined): Promise<JsonValue> {
    const { spare } = this.#deps;
    const { definition } = this.#toolOf(call);
    const amounts = costOf(this.#toolOf(call));
    const operation: Operation = {
      kind: 'tool',
      class: definition.effect,
      args: { subject: judged.subject },
      request:
        definition.effect === 'once' ? { arguments: masked(judged.args, this.#toolOf(call).sensitive) } : undefined,
      timeout: definition.timeout,
      key: spare === undefined ? judged.idempotencyKey : undefined,
      onDoubt: definition.idempotencyKey === undefined ? undefined : 'retry',
      reserve: amounts,
      bounds: () => this.#judge.bounds(call),
      approval,
      spent: () => amounts,
    };
    spare?.asked(call.tool);
    const effect = (tools: EffectTools) =>
      spare === undefined ? this.#call(call, judged, tools) : spare.perform(call.tool, tools.idempotencyKey);
    return this.#execution.perform(call.tool, effect, operation);
  }

  async #call(call: ToolCall, judged: Required<Judged>, tools: EffectTools): Promise<JsonValue> {
    const { contract, secrets } = this.#deps;
    const { args } = judged;
    const tool = this.#deps.tool(call.tool);
    if (tool === undefined) throw noCode(call.tool);
    const context = toolContext(this.#execution, secrets, tools, this.#judgedIn(judged));
    const { clock } = this.#execution;
    const attempted = (attempt: number) => tools.attempted(attempt);
    const execution = { contract, name: call.tool, tool, args, facts: this.#facts.now, clock, attempted };
    const output = await executeTool(execution, context);
    this.#execution.conceal(output, masked(output, this.#toolOf(call).sensitiveOutput));
    return output;
  }

  /** Of a call with a key of the contract's making the attempt makes no difference. */
  #judgedIn({ op, idempotencyKey }: Judged): number {
    const { semantics } = this.#execution.current();
    return idempotencyKey === undefined && semantics >= TELLS_CALLS_OF_ATTEMPTS_APART
      ? this.#execution.attemptOf(op)
      : 1;
  }

  #toolOf(call: ToolCall): CompiledTool {
    return this.#deps.contract.tools.get(call.tool)!;
  }
}

function stale(refusal: Refusal): Refusal {
  const message = `The call was approved, but is not allowed any more: ${refusal.message}`;
  return { ...refusal, code: 'approvalStale', message };
}

function noCode(tool: string): Error {
  const error = new SignalboxError('HandlerMissing', `This process has no code for the tool "${tool}".`, {
    hint: 'Give it to the agent under `tools`, or take it out of the contract.',
    details: { tool },
  });
  return Object.assign(error, { [PERMANENT]: true });
}

function isOf(args: JsonObject): (judged: JsonValue) => boolean {
  return judged => isJsonObject(judged) && jsonEqual(judged.args ?? null, args);
}
