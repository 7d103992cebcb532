import type { Fault } from '@signalbox/kernel';
import type { PlacedFault } from './located-fault.ts';
import type { NodeTypeRegistry } from './node-type-registry.ts';
import { describe, offsetInSource, type SourceNode, type SourceScalar } from './source-node.ts';

interface Place {
  readonly at: number;
  readonly keyAt: number | undefined;
  readonly scalar?: SourceScalar;
  /** Characters that conversion put before the scalar's text. */
  readonly shift: number;
}

/** What of the graph at a pointer can no longer be told from a text that was read in part only. */
export type Doubt = 'nodes' | 'routes' | 'joins';

/**
 * One conversion of a text to a definition: its faults, and the way back from pointers into the definition to the text.
 * 1. Everything put into the definition is marked with the place it came from.
 * 2. A part that was left out or stood in for is broken: what is found wrong at or below it is a consequence, not a fault.
 */
export class Conversion {
  readonly types: NodeTypeRegistry;
  readonly faults: PlacedFault[];
  /** Of the outermost graph: not part of the definition. */
  version: string | undefined;
  private readonly places = new Map<string, Place>();
  private readonly brokenPointers = new Set<string>();
  private readonly doubts: { readonly pointer: string; readonly doubt: Doubt }[] = [];

  /** `faults` are those told already, of the text itself. */
  constructor(types: NodeTypeRegistry, faults: readonly PlacedFault[]) {
    this.types = types;
    this.faults = [...faults];
  }

  /** A fault about a scalar points at the value, one about a list or a map at its key. The first mark of a pointer stays, unless a later one knows of a shift. */
  mark(pointer: string, node: SourceNode, keyAt?: number, shift = 0): void {
    if (shift === 0 && this.places.has(pointer)) return;
    if (node.kind === 'scalar') this.places.set(pointer, { at: node.at, keyAt, scalar: node, shift });
    else this.places.set(pointer, { at: keyAt ?? node.at, keyAt, shift });
  }

  markKey(pointer: string, at: number): void {
    if (!this.places.has(pointer)) this.places.set(pointer, { at, keyAt: at, shift: 0 });
  }

  fault(code: string, pointer: string, message: string, more: { hint?: string; at?: number } = {}): void {
    const hint = more.hint === undefined ? {} : { hint: more.hint };
    const at = more.at ?? this.placeOf(pointer).at;
    this.faults.push({ code, severity: 'error', pointer, message, ...hint, at });
  }

  /** Tells that another kind of value is wanted, unless the value is broken anyway; gives undefined. */
  wrong(node: SourceNode, pointer: string, wanted: string): undefined {
    this.break(pointer);
    if (node.kind === 'broken') return undefined;
    this.fault('WrongType', pointer, `${nameOf(pointer)} must be ${wanted}, not ${describe(node)}.`);
    return undefined;
  }

  textWanted(scalar: SourceScalar, pointer: string, wanted: string): undefined {
    this.break(pointer);
    const message = `${nameOf(pointer)} must be ${wanted}, not ${describe(scalar)}.`;
    this.fault('TextWanted', pointer, message, scalar.raw === '' ? {} : { hint: quoteHint(scalar) });
    return undefined;
  }

  break(pointer: string): void {
    this.brokenPointers.add(pointer);
  }

  /** Of the graph that `pointer` lies in. */
  doubtAt(pointer: string, doubt: Doubt): void {
    this.doubts.push({ pointer, doubt });
  }

  scalarAt(pointer: string): SourceScalar | undefined {
    return this.places.get(pointer)?.scalar;
  }

  isBroken(pointer: string): boolean {
    for (let at = pointer; ; at = parentOf(at)) {
      if (this.brokenPointers.has(at)) return true;
      if (at === '') return false;
    }
  }

  hasFaultBelow(pointer: string): boolean {
    return this.faults.some(fault => fault.pointer === pointer || fault.pointer.startsWith(`${pointer}/`));
  }

  isDoubted(pointer: string, doubt: Doubt): boolean {
    const graph = graphOf(pointer);
    return this.doubts.some(one => one.doubt === doubt && graphOf(one.pointer) === graph);
  }

  /** Nodes of which it cannot be told whether they were meant as joins. */
  get perhapsJoins(): readonly string[] {
    return this.doubts.filter(({ doubt }) => doubt === 'joins').map(({ pointer }) => pointer);
  }

  /** A fault found in the definition, at its place in the text; numbers that may have been meant as text get the hint. */
  located(fault: Fault): PlacedFault {
    const place = this.placeOf(fault.pointer);
    if (OF_A_KEY.has(fault.code) && place.keyAt !== undefined) return { ...fault, at: place.keyAt };
    if (place.scalar === undefined) return { ...fault, at: place.at };
    const at =
      fault.offset === undefined ? place.at : offsetInSource(place.scalar, Math.max(0, fault.offset - place.shift));
    const meantAsText =
      fault.code === 'TextWanted' || (fault.code === 'DefaultOutOfBounds' && isOddNumber(place.scalar));
    return meantAsText ? { ...fault, at, hint: quoteHint(place.scalar) } : { ...fault, at };
  }

  /** Of the pointer itself or the nearest thing around it that stands in the text. */
  private placeOf(pointer: string): Place {
    for (let at = pointer; ; at = parentOf(at)) {
      const place = this.places.get(at);
      if (place !== undefined) return place;
      if (at === '') return { at: 0, keyAt: undefined, shift: 0 };
    }
  }
}

/** Faults that are about a key, whatever stands under it. */
const OF_A_KEY: ReadonlySet<string> = new Set(['UnknownKey', 'UnknownStateKey']);

/** A number that would be written otherwise if it were meant as one: `1.10`, `010`, `0x10`, `1e3`. */
export function isOddNumber(scalar: SourceScalar): boolean {
  return typeof scalar.value === 'number' && String(scalar.value) !== scalar.raw;
}

export function quoteHint(scalar: SourceScalar): string {
  return `Quote it: ${JSON.stringify(typeof scalar.value === 'string' ? scalar.value : scalar.raw)}.`;
}

export function nameOf(pointer: string): string {
  const token = pointer.slice(pointer.lastIndexOf('/') + 1);
  if (pointer === '') return 'The text';
  if (/^\d+$/.test(token)) return `Entry ${Number(token) + 1}`;
  return `\`${token.replaceAll('~1', '/').replaceAll('~0', '~')}\``;
}

/** The pointer of the graph that `pointer` lies in; '' is the outermost. */
export function graphOf(pointer: string): string {
  return /^(?:\/graphs\/[^/]+)*/.exec(pointer)?.[0] ?? '';
}

function parentOf(pointer: string): string {
  return pointer.slice(0, pointer.lastIndexOf('/'));
}
