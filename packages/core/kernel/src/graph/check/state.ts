import { type Fault, pointerTo } from '../../error/fault.ts';
import { type ExprType, isNumeric, membersOf } from '../../expression/expr-type.ts';
import { typeOfSchema } from '../../expression/schema-type.ts';
import { jsonEqual } from '../../json/equal.ts';
import { normalizedSchema } from '../../schema/normalize.ts';
import type { GraphDefinition, Reducer, StateKeyDefinition } from '../definition.ts';
import { type Check, eachNode } from './context.ts';
import { errorAt, hintFor } from './fault.ts';
import { requestsAt } from './requests.ts';

const WANTED: Readonly<Record<Reducer, { fits: (type: ExprType) => boolean; name: string } | undefined>> = {
  replace: undefined,
  append: { fits: type => type.kind === 'list', name: 'a list' },
  merge: { fits: type => type.kind === 'object' || type.kind === 'map', name: 'an object' },
  sum: { fits: isNumeric, name: 'a number' },
  min: { fits: isNumeric, name: 'a number' },
  max: { fits: isNumeric, name: 'a number' },
};

/** `ReducerType`: the schema does not hold what the reducer makes. */
export const checkReducers: Check = ({ graph, pointer }) =>
  Object.entries(graph.state).flatMap(([key, { schema, reducer = 'replace' }]) => {
    const wanted = WANTED[reducer];
    const type = typeOfSchema(schema);
    if (wanted === undefined || type.kind === 'dyn' || membersOf(type).every(wanted.fits)) return [];
    const place = `${pointerTo(`${pointer}/state`, key)}/reducer`;
    return [
      errorAt(place, 'ReducerType', `\`${reducer}\` needs ${wanted.name}, but the schema of \`${key}\` is not one.`),
    ];
  });

/** `UnknownStateKey`: a write or a carried value for a key that the state does not have. */
export const checkStateKeys: Check = eachNode((placed, context) => [
  ...unknownKeys(context.graph, Object.keys(placed.node.update ?? {}), `${placed.pointer}/update`),
  ...requestsAt(placed, context).flatMap(({ request: { resume }, pointer }) => {
    const carried = resume?.mode === 'restart' ? Object.keys(resume.carry ?? {}) : [];
    return unknownKeys(context.graph, carried, `${pointer}/resume/carry`);
  }),
]);

function unknownKeys(graph: GraphDefinition, keys: readonly string[], pointer: string): Fault[] {
  return keys
    .filter(key => !Object.hasOwn(graph.state, key))
    .map(key => unknownKey(graph, key, pointerTo(pointer, key)));
}

function unknownKey(graph: GraphDefinition, key: string, pointer: string, where = 'The state'): Fault {
  return errorAt(pointer, 'UnknownStateKey', `${where} has no key \`${key}\`.`, hintFor(key, Object.keys(graph.state)));
}

/** `UnknownStateKey`, `ShareMismatch`: a shared key is one key of both graphs, of the same schema and reducer. */
export const checkShares: Check = eachNode(({ node, pointer }, { graph }) => {
  const run = node.type === 'subgraph' ? node : node.type === 'map' && 'graph' in node.body ? node.body : undefined;
  const inner = run && graph.graphs?.[run.graph];
  if (run?.share === undefined || inner === undefined) return [];
  const place = node.type === 'map' ? `${pointer}/body/share` : `${pointer}/share`;
  return run.share.flatMap((key, index) => checkShare(graph, inner, run.graph, key, `${place}/${index}`));
});

function checkShare(
  outer: GraphDefinition,
  inner: GraphDefinition,
  name: string,
  key: string,
  pointer: string,
): Fault[] {
  const here = Object.hasOwn(outer.state, key) ? outer.state[key] : undefined;
  const there = Object.hasOwn(inner.state, key) ? inner.state[key] : undefined;
  if (here === undefined) return [unknownKey(outer, key, pointer)];
  if (there === undefined) return [unknownKey(inner, key, pointer, `The state of \`${name}\``)];
  if (isSame(here, there)) return [];
  const message = `\`${key}\` has another schema or reducer in \`${name}\`, so it cannot be shared.`;
  return [errorAt(pointer, 'ShareMismatch', message, 'Write both alike.')];
}

function isSame(a: StateKeyDefinition, b: StateKeyDefinition): boolean {
  const isAlike = (a.reducer ?? 'replace') === (b.reducer ?? 'replace');
  return isAlike && jsonEqual(normalizedSchema(a.schema), normalizedSchema(b.schema));
}
