/**
 * What a text says, before anybody asks what it means: values with the offset (UTF-16 units from 0) at which they stand.
 * A number keeps the spelling it was written with. `broken` stands for a part that a fault was already told about.
 */
export type SourceNode = SourceScalar | SourceList | SourceMap | SourceBroken;

export interface SourceScalar {
  readonly kind: 'scalar';
  readonly at: number;
  readonly value: string | number | boolean | null;
  /** As written, quotes included. */
  readonly raw: string;
  readonly style: 'plain' | 'single' | 'double' | 'block';
}

export interface SourceList {
  readonly kind: 'list';
  readonly at: number;
  readonly items: readonly SourceNode[];
}

export interface SourceMap {
  readonly kind: 'map';
  readonly at: number;
  /** Every key once, none of them dangerous. */
  readonly entries: readonly SourceEntry[];
}

export interface SourceEntry {
  readonly key: string;
  readonly keyAt: number;
  readonly value: SourceNode;
}

export interface SourceBroken {
  readonly kind: 'broken';
  readonly at: number;
}

export function entryOf(map: SourceMap, ...keys: readonly string[]): SourceEntry | undefined {
  return map.entries.find(entry => keys.includes(entry.key));
}

export function isText(node: SourceNode | undefined): node is SourceScalar & { readonly value: string } {
  return node?.kind === 'scalar' && typeof node.value === 'string';
}

/** A text that stands for something written in another form at `at`. */
export function textAt(at: number, value: string): SourceScalar {
  return { kind: 'scalar', at, value, raw: value, style: 'block' };
}

export function describe(node: SourceNode): string {
  if (node.kind === 'list') return 'a list';
  if (node.kind === 'map') return 'a map';
  if (node.kind === 'broken' || node.value === null) return 'nothing';
  if (typeof node.value === 'string') return 'a text';
  return typeof node.value === 'number' ? `the number ${node.raw}` : `the truth value ${node.raw}`;
}

/**
 * Where the character `offset` of a scalar's text stands in the file; the scalar's start when it is written over
 * several lines, where folding makes the way back unsure.
 */
export function offsetInSource(scalar: SourceScalar, offset: number): number {
  if (scalar.style === 'block' || offset < 0 || /[\r\n]/.test(scalar.raw)) return scalar.at;
  if (scalar.style === 'plain') return scalar.at + Math.min(offset, scalar.raw.length);
  let at = 1;
  for (let passed = 0; passed < offset && at < scalar.raw.length - 1; ) {
    const length = scalar.style === 'single' ? singleQuotedLength(scalar.raw, at) : escapeLength(scalar.raw, at);
    passed += decodedLength(scalar.raw, at, length);
    at += length;
  }
  return scalar.at + at;
}

function singleQuotedLength(raw: string, at: number): number {
  return raw.startsWith("''", at) ? 2 : 1;
}

const ESCAPE_LENGTHS: Readonly<Record<string, number>> = { x: 4, u: 6, U: 10 };

function escapeLength(raw: string, at: number): number {
  return raw[at] === '\\' ? (ESCAPE_LENGTHS[raw[at + 1] ?? ''] ?? 2) : 1;
}

/** UTF-16 units that one written character stands for; only `\U` can stand for two. */
function decodedLength(raw: string, at: number, length: number): number {
  return length === 10 && Number.parseInt(raw.slice(at + 2, at + 10), 16) > 0xffff ? 2 : 1;
}
