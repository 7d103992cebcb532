import type { JsonObject } from '../json/value.ts';
import type {
  CallRule,
  ContractBudgets,
  ContractDefinition,
  DynamicPrompt,
  OutputRule,
  ToolContract,
} from './definition.ts';

/**
 * A contract as its document says it: well shaped, in the names of the definition, nothing filled in. What a document
 * leaves out is taken from the contract it extends, else it has its default.
 */
export interface ContractDraft {
  readonly name: string;
  readonly version?: string;
  readonly description?: string;
  readonly extends?: string;
  readonly tools?: Readonly<Record<string, Partial<ToolContract>>>;
  readonly prompts?: readonly DynamicPrompt[];
  readonly rules?: readonly CallRule[];
  readonly budgets?: Partial<ContractBudgets>;
  readonly output?: JsonObject;
  readonly outputRules?: readonly OutputRule[];
  readonly confidence?: ContractDefinition['confidence'];
}
