import type { Fault } from '../../error/fault.ts';
import { pointerTo } from '../../error/fault.ts';
import type { Expression } from '../../expression/expression.ts';
import { nodeOf } from '../flow.ts';
import type { CompiledNode, ExpressionMap } from '../program.ts';
import type { Check, CheckContext } from './context.ts';
import { errorAt, hintFor } from './fault.ts';

interface PlacedExpression {
  readonly expression: Expression | undefined;
  readonly pointer: string;
}

/** `UnknownNode`, `NodeOutOfScope`: `nodes.x` of no node, or of one in a scope that cannot be looked into from here. */
export const checkReads: Check = context => [
  ...[...context.compiled.nodes.values()].flatMap(node => {
    const place = pointerTo(`${context.pointer}/nodes`, node.name);
    const routes = pointerTo(`${context.pointer}/routes`, node.name);
    return [...expressionsOf(node, place), ...guardsOf(node, routes)].flatMap(placed =>
      readFaults(context, placed, node.name),
    );
  }),
  ...[...context.bodies].flatMap(([map, { nodes }]) =>
    [...nodes.values()].flatMap(node =>
      expressionsOf(node, `${pointerTo(`${context.pointer}/nodes`, map)}/body/node`).flatMap(placed =>
        readFaults(context, placed, map),
      ),
    ),
  ),
  ...fromMap(context.compiled.output, `${context.pointer}/output`).flatMap(placed =>
    readFaults(context, placed, undefined),
  ),
];

function expressionsOf(node: CompiledNode, pointer: string): PlacedExpression[] {
  const { decides } = node;
  return [
    ...fromMap(node.input, `${pointer}/input`),
    ...fromMap(node.update, `${pointer}/update`),
    ...fromMap(node.values, `${pointer}/output`),
    { expression: node.items, pointer: `${pointer}/items` },
    { expression: decides?.chosen, pointer: `${pointer}/decides/chosen` },
    { expression: decides?.confidence, pointer: `${pointer}/decides/confidence` },
    { expression: decides?.reason, pointer: `${pointer}/decides/reason` },
    ...(node.wait?.kind === 'when' ? [{ expression: node.wait.when, pointer: `${pointer}/when` }] : []),
  ];
}

function guardsOf(node: CompiledNode, pointer: string): PlacedExpression[] {
  return node.routes.map(({ when, index }) => ({ expression: when, pointer: `${pointer}/${index}/when` }));
}

function fromMap(map: ExpressionMap | undefined, pointer: string): PlacedExpression[] {
  return [...(map ?? [])].map(([key, expression]) => ({ expression, pointer: pointerTo(pointer, key) }));
}

function readFaults(context: CheckContext, { expression, pointer }: PlacedExpression, at: string | undefined): Fault[] {
  const names = new Set(
    (expression?.reads ?? []).flatMap(([first, name]) => (first === 'nodes' && name ? [name] : [])),
  );
  return [...names].flatMap(name => nameFaults(context, name, pointer, at));
}

function nameFaults(
  { graph, structure }: CheckContext,
  name: string,
  pointer: string,
  at: string | undefined,
): Fault[] {
  if (nodeOf(graph, name) === undefined) {
    return [errorAt(pointer, 'UnknownNode', `There is no node \`${name}\`.`, hintFor(name, Object.keys(graph.nodes)))];
  }
  const inner = at === undefined ? '' : structure.scopeOf.get(at);
  const outer = structure.scopeOf.get(name);
  if (inner === undefined || outer === undefined || at === name || structure.encloses(outer, inner)) return [];
  const { fork, join } = structure.scopes.get(outer)!;
  const message = `\`${name}\` runs in a branch of \`${fork}\`, whose nodes cannot be seen from here.`;
  const way =
    join === undefined ? 'Write it to state there.' : `Read \`nodes.${join}.branches\`, or write it to state.`;
  return [errorAt(pointer, 'NodeOutOfScope', message, way)];
}
