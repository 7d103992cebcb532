import type { CompiledContract } from '../contract/compiled-contract.ts';
import type { TextTemplate } from '../contract/text-template.ts';
import type { JsonObject } from '../json/value.ts';
import type { GateFacts } from './judgement.ts';
import { masked } from './masked.ts';
import { Sight } from './sight.ts';
import { type ToolResult, toolOf } from './tool-result.ts';

export interface BridgedResult {
  readonly text: string;
  readonly cut: boolean;
  /** Why the template of the contract was not used. */
  readonly reason?: string;
}

export interface BridgeOptions {
  /** For tools whose contract says none; sees what theirs would, and `tool`, the name. */
  readonly template?: TextTemplate;
  /** Characters. The contract's `maxChars` (default 4,000) holds where it is smaller. */
  readonly maxChars?: number;
}

/**
 * A result as the text that the prompt gets: by the contract's template, else the caller's, else a text as it is and other
 * values as JSON.
 * Sensitive parts of arguments and result are masked. The text is bounded, in code points; what is cut is said at its end.
 */
export function bridgeResult(
  contract: CompiledContract,
  result: ToolResult,
  facts: GateFacts,
  options: BridgeOptions = {},
): BridgedResult {
  const tool = toolOf(contract, result);
  const { bridge } = tool.definition;
  const output = masked(result.output, tool.sensitiveOutput);
  const most = Math.min(bridge?.maxChars ?? MAX_CHARS, options.maxChars ?? Number.POSITIVE_INFINITY);
  const plain = typeof output === 'string' ? output : JSON.stringify(output);
  const template = tool.bridge ?? options.template;
  if (template === undefined) return bounded(plain, most);
  const sight = new Sight(contract, facts);
  sight.tool = tool.name;
  sight.args = masked(result.args, tool.sensitive) as JsonObject;
  sight.output = output;
  const filled = template.fill(sight);
  return filled.ok ? bounded(filled.text, most) : { ...bounded(plain, most), reason: filled.reason };
}

const MAX_CHARS = 4_000;

function bounded(text: string, most: number): BridgedResult {
  if (text.length <= most) return { text, cut: false };
  const chars = [...text];
  if (chars.length <= most) return { text, cut: false };
  const note = ` … [cut: ${chars.length} characters in all]`;
  const kept = chars.slice(0, Math.max(0, most - note.length)).join('');
  return { text: [...kept, ...note].slice(0, most).join(''), cut: true };
}
