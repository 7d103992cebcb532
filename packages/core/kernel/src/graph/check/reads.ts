import type { Fault } from '../../error/fault.ts';
import { END } from '../definition.ts';
import type { PlacedExpression } from '../expression-compiler.ts';
import { nodeOf } from '../flow.ts';
import { ROOT } from '../scope-walk.ts';
import type { Check, CheckContext } from './context.ts';
import { errorAt, hintFor } from './fault.ts';

/** `UnknownNode`, `NodeOutOfScope`: `nodes.x` of no node, or of one in a scope that cannot be looked into from here. */
export const checkReads: Check = context =>
  context.expressions.flatMap(placed => {
    const at = standsAt(context, placed.pointer);
    return at === undefined ? [] : namesIn(placed).flatMap(name => nameFaults(context, name, placed.pointer, at));
  });

function namesIn({ expression }: PlacedExpression): string[] {
  return [
    ...new Set(expression.reads.flatMap(([first, name]) => (first === 'nodes' && name !== undefined ? [name] : []))),
  ];
}

/** The node of this graph that an expression belongs to, `end` for the graph's output; undefined in another graph. */
function standsAt({ pointer: base }: CheckContext, pointer: string): string | undefined {
  if (!pointer.startsWith(`${base}/`)) return undefined;
  const [part, name] = pointer.slice(base.length + 1).split('/');
  if (part === 'output') return END;
  return part === 'nodes' || part === 'routes' ? name : undefined;
}

function nameFaults({ graph, structure }: CheckContext, name: string, pointer: string, at: string): Fault[] {
  if (nodeOf(graph, name) === undefined) {
    return [errorAt(pointer, 'UnknownNode', `There is no node \`${name}\`.`, hintFor(name, Object.keys(graph.nodes)))];
  }
  const inner = at === END ? ROOT : structure.scopeOf.get(at);
  const outer = structure.scopeOf.get(name);
  if (inner === undefined || outer === undefined || at === name || structure.encloses(outer, inner)) return [];
  const { fork, join } = structure.scopes.get(outer)!;
  const message = `\`${name}\` runs in a branch of \`${fork}\`, whose nodes cannot be seen from here.`;
  const way =
    join === undefined ? 'Write it to state there.' : `Read \`nodes.${join}.branches\`, or write it to state.`;
  return [errorAt(pointer, 'NodeOutOfScope', message, way)];
}
