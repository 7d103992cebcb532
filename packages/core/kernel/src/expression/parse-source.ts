import type { ExpressionFault } from './expression-fault.ts';
import { countNodes, rewrite } from './rewrite.ts';
import { type ParsedSource, parseTree } from './syntax-tree.ts';

export const MAX_SOURCE_LENGTH = 10_000;
export const MAX_NODES = 1_000;
/** After rewriting, where `orValue` repeats its path. */
const MAX_REWRITTEN_NODES = 10_000;

export type SourceResult =
  | ({ readonly ok: true } & ParsedSource)
  | { readonly ok: false; readonly fault: ExpressionFault };

export function parseSource(source: string): SourceResult {
  if (source.length > MAX_SOURCE_LENGTH)
    return tooLarge(`it has ${source.length} characters, of at most ${MAX_SOURCE_LENGTH}`);
  try {
    const parsed = parseTree(source);
    if (countNodes(parsed.root, MAX_NODES) > MAX_NODES) return tooLarge(`it has more than ${MAX_NODES} parts`);
    if (countNodes(rewrite(parsed.root), MAX_REWRITTEN_NODES) > MAX_REWRITTEN_NODES)
      return tooLarge('its orValue calls are nested too deeply');
    return { ok: true, ...parsed };
  } catch (error) {
    // The parser is recursive; what overflows its stack is nested far deeper than the limit on nodes lets through.
    if (error instanceof RangeError) return tooLarge('it is nested too deeply');
    return { ok: false, fault: syntaxFault(source, error) };
  }
}

function tooLarge(what: string): SourceResult {
  return {
    ok: false,
    fault: {
      code: 'ExpressionTooLarge',
      severity: 'error',
      message: `The expression is too large: ${what}`,
      hint: 'Compute the value in a step and let the expression read it',
    },
  };
}

function syntaxFault(source: string, error: unknown): ExpressionFault {
  const text = error instanceof Error ? error.message : String(error);
  const offset = offsetOf(error);
  const hint = hintFor(source, offset);
  return {
    code: 'ExpressionSyntax',
    severity: 'error',
    message: `The expression cannot be read: ${text.replace(/^[a-z ]*<input>:\d+:\d+: /, '')}`,
    ...(offset !== undefined && { offset }),
    ...(hint !== undefined && { hint }),
  };
}

function offsetOf(error: unknown): number | undefined {
  const location = (error as { location?: { start?: { offset?: unknown } } } | null)?.location;
  return typeof location?.start?.offset === 'number' ? location.start.offset : undefined;
}

function hintFor(source: string, offset = 0): string | undefined {
  if (source.trim() === '') return 'Write an expression, such as true';
  const rest = source.slice(offset);
  if (/^={3}|^!==/.test(rest)) return 'CEL compares with == and !=';
  if (/^=(?!=)/.test(rest)) return 'Compare with ==';
  if (/^&(?!&)|^and\b/.test(rest)) return 'Join conditions with &&';
  if (/^\|(?!\|)|^or\b/.test(rest)) return 'Join conditions with ||';
  if (/^\.\?|^\[\?/.test(rest)) return 'Write state.amount.orValue(0) to read a field that may be absent';
  return undefined;
}
