import type { CompiledContract, CompiledTool } from '../contract/compiled-contract.ts';
import { SignalboxError } from '../error/error.ts';
import type { JsonObject, JsonValue } from '../json/value.ts';

/** A call that was executed, with what came of it. */
export interface ToolResult {
  readonly tool: string;
  /** As they were judged. */
  readonly args: JsonObject;
  readonly output: JsonValue;
}

/** @throws SignalboxError `UnknownTool`: only calls that the contract judged have results. */
export function toolOf({ definition, tools }: CompiledContract, { tool }: ToolResult): CompiledTool {
  const found = tools.get(tool);
  if (found !== undefined) return found;
  throw new SignalboxError('UnknownTool', `The contract \`${definition.name}\` does not have the tool \`${tool}\`.`, {
    hint: 'Look at a result with the contract that its call was judged by.',
  });
}
