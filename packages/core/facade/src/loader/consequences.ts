import type { Fault } from '@signalbox/kernel';
import { type Conversion, graphOf } from './conversion.ts';
import { OF_JOINS } from './perhaps-joins.ts';

/** Faults that speak of what leads where, and so mean nothing where a route could not be read. */
const OF_ROUTES: ReadonlySet<string> = new Set([
  ...OF_JOINS,
  ...['FallbackCycle', 'LoopWithoutExit', 'NextWithoutRoute', 'NoDefaultRoute', 'NodeOutOfScope', 'RouteNeverTaken'],
  ...['UnreachableNode', 'UnusedGraph'],
]);

/** Faults that speak of names, and so mean nothing where a node's own name could not be read. */
const OF_NODES: ReadonlySet<string> = new Set([...OF_ROUTES, 'EntryMissing', 'UnknownGraph', 'UnknownNode']);

/** Faults that miss something in a whole whose parts could not all be read. */
const OF_PARTS: ReadonlySet<string> = new Set(['EmptyRoute', 'EscalateWithoutTo', 'InvalidDeadline', 'InvalidWait']);

const OF_STATE: ReadonlySet<string> = new Set(['ShareMismatch', 'UnknownStateKey']);

/** Faults of expressions that stand on the types of what they read. */
const OF_TYPES: ReadonlySet<string> = new Set(['ExpressionType', 'OptionalRead']);

/** Faults of a field that leave no doubt of which type its values are. */
const OF_BOUNDS: ReadonlySet<string> = new Set(['DefaultOutOfBounds', 'EmptyRange', 'InvalidPattern']);

/**
 * What the kernel found, without what only follows from parts that could not be read as they were meant: one mistake is
 * told once. What is held back here is told when the mistake is mended, if it is then still there.
 */
export function withoutConsequences(found: readonly Fault[], conversion: Conversion): Fault[] {
  const errors = [...conversion.faults, ...found].filter(({ severity }) => severity === 'error');
  const doubts = new Doubts(errors, conversion);
  return found.filter(fault => !conversion.isBroken(fault.pointer) && !doubts.explain(fault));
}

class Doubts {
  private readonly errors: readonly Fault[];
  private readonly conversion: Conversion;

  constructor(errors: readonly Fault[], conversion: Conversion) {
    this.errors = errors;
    this.conversion = conversion;
  }

  explain({ code, pointer }: Fault): boolean {
    const { conversion } = this;
    if (OF_NODES.has(code) && conversion.isDoubted(pointer, 'nodes')) return true;
    if (OF_ROUTES.has(code) && conversion.isDoubted(pointer, 'routes')) return true;
    if (OF_PARTS.has(code) && this.hasErrorBelow(pointer)) return true;
    if (OF_STATE.has(code)) return this.isStateDoubted();
    return OF_TYPES.has(code) && this.areTypesDoubted(pointer);
  }

  private areTypesDoubted(pointer: string): boolean {
    const source = String(this.conversion.scalarAt(pointer)?.value ?? '');
    if (/\bstate\b/.test(source) && this.isStateDoubted()) return true;
    return this.nodesWithBrokenFields().some(
      ({ graph, node }) =>
        graph === graphOf(pointer) &&
        (([`${graph}/nodes/${node}/`, `${graph}/routes/${node}/`].some(place => pointer.startsWith(place)) &&
          /\b(?:output|values)\b/.test(source)) ||
          new RegExp(`\\bnodes\\.${node}\\b`).test(source)),
    );
  }

  /** Of any graph: keys are shared between them. */
  private isStateDoubted(): boolean {
    return this.errors.some(({ pointer }) => {
      const state = `${graphOf(pointer)}/state`;
      return pointer.startsWith(`${state}/`) || this.conversion.isBroken(state);
    });
  }

  private nodesWithBrokenFields(): { graph: string; node: string }[] {
    return this.errors.flatMap(({ code, pointer }) => {
      if (OF_BOUNDS.has(code)) return [];
      const graph = graphOf(pointer);
      const node = /^\/nodes\/(\w+)\/request\/(?:fields|form)(?:\/|$)/.exec(pointer.slice(graph.length))?.[1];
      return node === undefined ? [] : [{ graph, node }];
    });
  }

  private hasErrorBelow(place: string): boolean {
    return this.errors.some(({ pointer }) => pointer.startsWith(`${place}/`));
  }
}
