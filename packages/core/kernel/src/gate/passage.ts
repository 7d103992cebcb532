import type { CompiledContract, CompiledTool } from '../contract/compiled-contract.ts';
import type { Expression } from '../expression/expression.ts';
import type { JsonObject } from '../json/value.ts';
import type { Issue } from '../schema/issue.ts';
import type { GateFacts, GateStage, GateStageName, RefusalCode, ToolCall } from './judgement.ts';
import { saysSensitive } from './masked.ts';
import type { GateOptions } from './options.ts';
import { Sight } from './sight.ts';

/** Why a call goes no further. */
export interface Stop {
  readonly code: RefusalCode;
  /** For the model and for people; without sensitive values. */
  readonly message: string;
  readonly issues?: readonly Issue[];
  /** Default false. */
  readonly retryable?: boolean;
}

/** One call on its way through the gate: what is known of it so far, and what each stage said. */
export class Passage {
  readonly contract: CompiledContract;
  readonly call: ToolCall;
  readonly facts: GateFacts;
  readonly options: GateOptions;
  readonly sight: Sight;
  readonly stages: GateStage[] = [];
  /** From `allow` on. */
  tool!: CompiledTool;
  /** Read in `parse`; what the tool gets from `validate` on. */
  args: JsonObject = NO_ARGUMENTS;
  idempotencyKey: string | undefined;
  /** Set in `budget`: a person is asked for more. */
  asksBudget = false;

  constructor(contract: CompiledContract, call: ToolCall, facts: GateFacts, options: GateOptions) {
    this.contract = contract;
    this.call = call;
    this.facts = facts;
    this.options = options;
    this.sight = new Sight(contract, facts);
  }

  pass(stage: keyof typeof PASSED): undefined {
    this.stages.push(PASSED[stage]);
    return undefined;
  }

  /** A stage that lets it through, and has more to say than that. */
  note(stage: GateStage): undefined {
    this.stages.push(stage);
    return undefined;
  }

  refuse(stage: GateStageName, stop: Stop, more: Pick<GateStage, 'asked' | 'left'> = {}): Stop {
    this.stages.push({ stage, outcome: 'refused', reason: stop.message, code: stop.code, ...more });
    return stop;
  }

  /** Why an expression says no, or that it cannot be evaluated; undefined where it holds. */
  whyNot(expression: Expression): string | undefined {
    const result = expression.evaluate(this.sight);
    if (!result.ok) return this.unevaluable(expression, result.reason);
    return result.value === true ? undefined : `\`${expression.source}\` does not hold`;
  }

  /** What the evaluator says may quote a value; a sensitive one is not passed on. */
  unevaluable({ source }: Expression, reason: string): string {
    const sensitive = saysSensitive(reason, this.args, this.tool.sensitive);
    return `\`${source}\` cannot be evaluated${sensitive ? '' : `: ${reason}`}`;
  }
}

const NO_ARGUMENTS: JsonObject = Object.freeze({});

/** Most stages of most calls: one object each, for all of them. The first alone says what came in. */
const PASSED = Object.freeze({
  allow: passed('allow'),
  normalize: passed('normalize'),
  validate: passed('validate'),
  bind: passed('bind'),
  limits: passed('limits'),
  rules: passed('rules'),
  budget: passed('budget'),
  approval: passed('approval'),
}) satisfies Readonly<Record<Exclude<GateStageName, 'parse'>, GateStage>>;

function passed(stage: GateStageName): GateStage {
  return Object.freeze({ stage, outcome: 'passed' });
}

/** Whether the outcome hangs on more than which tool it is, so that a call with other arguments, or another time, may come through. */
export function mayTurnOut({ reads }: Expression): boolean {
  return reads.some(([root]) => root !== 'tool');
}
