import type { Expression } from '../expression/expression.ts';
import type { SensitiveParts } from '../gate/sensitive-parts.ts';
import type { ExpressionMap } from '../graph/program.ts';
import type { Validator } from '../schema/validator.ts';
import type { CallRule, ContractDefinition, DynamicPrompt, OutputRule, ToolContract } from './definition.ts';
import type { TextTemplate } from './text-template.ts';

/**
 * A contract ready to judge by. Frozen. Expressions, validators and the hash are made at their first use.
 */
export interface CompiledContract {
  readonly definition: ContractDefinition;
  /** Of the normalized definition: what events name, and what approvals are bound to. */
  readonly hash: string;
  readonly tools: ReadonlyMap<string, CompiledTool>;
  readonly rules: readonly CompiledRule[];
  readonly prompts: readonly CompiledPrompt[];
  /** Of the agent's own reply. */
  readonly output?: Validator;
  readonly outputRules: readonly CompiledOutputRule[];
}

/**
 * Its expressions read `state`, `session`, `input`, `answers`, `run`, `now` and `tools` (an entry for every tool of the
 * contract, called or not); those of bind, approval and key `args` as well; `writes`, `compensate` and `bridge` also `output`.
 */
export interface CompiledTool {
  readonly name: string;
  readonly definition: ToolContract;
  readonly input: Validator;
  readonly output?: Validator;
  /** Of the arguments, by the contract's pointers and by the marks of the schema; and of the result. */
  readonly sensitive: SensitiveParts;
  readonly sensitiveOutput: SensitiveParts;
  readonly when?: Expression;
  readonly bind: readonly BoundArgument[];
  /** Absent where every call is asked for, or none. */
  readonly approvalWhen?: Expression;
  readonly idempotencyKey?: Expression;
  /** Milliseconds. */
  readonly timeout: number;
  /** By state key. */
  readonly writes: ExpressionMap;
  readonly compensate?: { readonly tool: string; readonly args: ExpressionMap };
  readonly bridge?: TextTemplate;
}

export interface BoundArgument {
  /** JSON pointer into the arguments. */
  readonly pointer: string;
  readonly expression: Expression;
}

export interface CompiledRule {
  readonly definition: CallRule;
  /** Reads `tool`, a text, and `args` beside the rest. */
  readonly assert: Expression;
}

export interface CompiledPrompt {
  readonly definition: DynamicPrompt;
  readonly condition: Expression;
  readonly template: TextTemplate;
}

export interface CompiledOutputRule {
  readonly definition: OutputRule;
  readonly assert: Expression;
}
