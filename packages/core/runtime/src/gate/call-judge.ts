import {
  type Bound,
  type BudgetLeft,
  type CompiledContract,
  type CompiledTool,
  codeOverBudget,
  costOf,
  type GateOptions,
  type JsonObject,
  type JsonValue,
  judgeCall,
  leftBeside,
  masked,
  type OpReport,
  type Refusal,
  type ToolCall,
} from '@signalbox/kernel';
import type { Tool } from '@signalbox/ports';
import type { TaskExecution } from '../journal/execution.ts';
import type { Performer } from '../journal/performer.ts';
import type { VisitFacts } from './gate-facts.ts';

export interface JudgeDeps {
  readonly contract: CompiledContract;
  readonly tool: (name: string) => Tool | undefined;
  readonly options: GateOptions;
  /** Bounds beside those of graph and node, read anew for each call. */
  readonly bounds: () => Promise<readonly Bound[]>;
  /** The bound on the calls of a tool in the run's session; undefined where it has none. */
  readonly inSession: (tool: string, most: number) => Promise<Bound | undefined>;
  /** What these bounds, and those of graph and node, leave by now. */
  readonly left: (bounds: readonly Bound[]) => readonly BudgetLeft[];
  /** Stands in for the tools where the handler is executed once more. */
  readonly spare?: Performer | undefined;
}

/** Stands for every tool that the contract does not have; no tool can be named so. */
const UNKNOWN = '?';

/** A judgement as the journal keeps it. */
export interface Judged {
  /** Its own name there. */
  readonly op: string;
  /** How far the visit's own facts had come. */
  readonly seen: number;
  readonly verdict: 'ready' | 'approval' | 'refused';
  readonly refusal?: Refusal;
  readonly subject?: string;
  readonly args?: JsonObject;
  readonly idempotencyKey?: string;
  readonly asksBudget?: true;
}

/**
 * What the gate says of a call, as a fact of the journal: executed again, the same is read. Calls of one reply are judged
 * beside each other: what one that is yet to be approved will take is not there for another.
 */
export class CallJudge {
  readonly #execution: TaskExecution;
  readonly #facts: VisitFacts;
  readonly #deps: JudgeDeps;
  /** Calls that somebody is asked about: they have reserved nothing yet. */
  readonly #asked = new Set<{ readonly tool: CompiledTool }>();

  constructor(execution: TaskExecution, facts: VisitFacts, deps: JudgeDeps) {
    this.#execution = execution;
    this.#facts = facts;
    this.#deps = deps;
  }

  /** `isSame`: whether what an attempt before was told at this place is of this call, and stands again. */
  async judge(call: ToolCall, isSame: (before: JsonValue) => boolean): Promise<Judged> {
    // What a model makes up is no name of ours.
    const name = `gate:${this.#deps.contract.tools.has(call.tool) ? call.tool : UNKNOWN}`;
    const seen = this.#facts.changes;
    const judging = this.#execution.judge(name, op => this.#judgement(call, op), isSame);
    const op = this.#execution.lastNamed(name);
    return { ...((await judging) as unknown as Omit<Judged, 'op' | 'seen'>), op, seen };
  }

  /**
   * Whether a judgement still holds: calls of the same reply may have begun, ended and written since all of them were judged.
   * One that asks is looked at anew for whatever has changed, so that nobody is asked in vain; one that was ready, only where
   * what it was let through by is another now.
   */
  stands(call: ToolCall, first: Judged): boolean {
    if (first.seen === this.#facts.changes) return true;
    if (first.verdict !== 'ready') return false;
    const { contract, options } = this.#deps;
    const now = judgeCall(contract, call, this.#facts.now, { ...options, ...this.#versionOf(call) });
    return now.verdict === 'ready' && now.subject === first.subject;
  }

  /** Until the answer is there, other calls are judged as if this one were let through. */
  async whileAsked(tool: CompiledTool, asked: Promise<JsonValue>): Promise<JsonValue> {
    const entry = { tool };
    this.#asked.add(entry);
    try {
      return await asked;
    } finally {
      this.#asked.delete(entry);
    }
  }

  /** A limit of calls is an account of its own, so that branches side by side, and runs of a session, keep it together. */
  async bounds({ tool }: ToolCall): Promise<readonly Bound[]> {
    const { perRun, perSession } = this.#deps.contract.tools.get(tool)!.definition.limits ?? {};
    const own = perRun === undefined ? [] : [{ account: `tool:${tool}`, allowed: { toolCalls: perRun } }];
    const inSession = perSession === undefined ? undefined : await this.#deps.inSession(tool, perSession);
    return [...own, ...(inSession === undefined ? [] : [inSession]), ...(await this.#deps.bounds())];
  }

  async #judgement(call: ToolCall, op: string): Promise<Omit<Extract<OpReport, { type: 'judge' }>, 'type' | 'op'>> {
    const { contract, options } = this.#deps;
    const version = this.#versionOf(call);
    // As its own code has come to it, whatever ends while others' accounts are read.
    const facts = this.#facts.now;
    const left = await this.#left(call, op);
    const judgement = judgeCall(contract, call, facts, { ...options, ...version, ...left });
    const { stages, verdict } = judgement;
    const common = { tool: call.tool, ...version, call: call.id, contract: contract.hash, verdict, stages };
    if (judgement.verdict === 'refused') return { ...common, refusal: judgement.refusal };
    const { args, subject, idempotencyKey, asksBudget } = judgement;
    this.#execution.conceal(args, masked(args, this.#toolOf(call).sensitive));
    this.#execution.secrets.learnDigestOf(args, subject);
    return {
      ...common,
      args,
      subject,
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      ...(asksBudget === undefined ? {} : { asksBudget }),
    };
  }

  /**
   * How the run stood is not the same at another execution, since others of it go on meanwhile: what the judgement found left
   * is a fact beside it, and executed once more it finds that again.
   */
  async #left(call: ToolCall, op: string): Promise<Pick<GateOptions, 'left'>> {
    const { contract, spare } = this.#deps;
    if (!contract.tools.has(call.tool)) return {};
    const asked = [...this.#asked].map(({ tool }) => tool);
    const left =
      spare === undefined ? this.#beside(asked, this.#deps.left(await this.bounds(call)), call) : spare.left(op);
    return left === undefined ? {} : { left };
  }

  /** What a call of the same reply that is yet to be approved will take is not there for another one. */
  #beside(asked: readonly CompiledTool[], left: readonly BudgetLeft[], { tool }: ToolCall): readonly BudgetLeft[] {
    return left.map(bound => {
      const isOfTool = codeOverBudget(bound.account, tool) === 'limitReached';
      const charged = isOfTool ? asked.filter(({ name }) => name === tool) : asked;
      return charged.reduce((rest, other) => leftBeside(rest, costOf(other)), bound);
    });
  }

  /** Of a tool that the contract has: what a model makes up has none. */
  #versionOf({ tool }: ToolCall): { readonly version?: string } {
    const version = this.#deps.contract.tools.has(tool) ? this.#deps.tool(tool)?.version : undefined;
    return version === undefined ? {} : { version };
  }

  #toolOf(call: ToolCall): CompiledTool {
    return this.#deps.contract.tools.get(call.tool)!;
  }
}
