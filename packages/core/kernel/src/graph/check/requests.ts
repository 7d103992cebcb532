import { type Fault, pointerTo } from '../../error/fault.ts';
import type { RequestDefinition } from '../../request/definition.ts';
import type { CompiledRequest } from '../program.ts';
import { type Check, type CheckContext, eachNode, type PlacedNode } from './context.ts';
import { errorAt, quoted } from './fault.ts';
import { requestFaults } from './request-meaning.ts';

export interface PlacedRequest {
  readonly request: RequestDefinition;
  readonly pointer: string;
  readonly compiled: CompiledRequest | undefined;
}

/** What a request says must make sense together; see {@link requestFaults}. */
export const checkRequests: Check = eachNode((placed, context) =>
  requestsAt(placed, context).flatMap(({ request, pointer, compiled }) =>
    requestFaults(request, pointer, compiled?.fields ?? []),
  ),
);

export function requestsAt({ name, node, pointer, isBody }: PlacedNode, context: CheckContext): PlacedRequest[] {
  const compiled = isBody ? undefined : context.compiled.nodes.get(name);
  if (node.type === 'ask') {
    const body = [...(context.bodies.get(name)?.nodes.values() ?? [])].find(({ definition }) => definition === node);
    const request = (compiled ?? body)?.request;
    return [{ request: node.request, pointer: `${pointer}/request`, compiled: request }];
  }
  if (node.type !== 'wait') return [];
  return Object.entries(node.first ?? {}).flatMap(([key, wait]) => {
    if (!('ask' in wait)) return [];
    const of = compiled?.wait?.kind === 'first' ? compiled.wait.of.get(key) : undefined;
    const request = of?.kind === 'ask' ? of.request : undefined;
    return [{ request: wait.ask, pointer: `${pointerTo(`${pointer}/first`, key)}/ask`, compiled: request }];
  });
}

/** `InvalidWait`: a wait is for one thing. */
export const checkWaits: Check = eachNode(({ node, pointer }) => {
  if (node.type !== 'wait') return [];
  const kinds = ['for', 'until', 'signal', 'when', 'ask', 'first'];
  const inner = Object.entries(node.first ?? {}).flatMap(([key, wait]) =>
    countFaults(wait, kinds.slice(0, 5), pointerTo(`${pointer}/first`, key)),
  );
  const empty = node.first !== undefined && Object.keys(node.first).length === 0;
  const none = empty ? [errorAt(`${pointer}/first`, 'InvalidWait', 'There is nothing to wait for.')] : [];
  return [...countFaults(node, ['for', 'until', 'signal', 'when', 'first'], pointer), ...none, ...inner];
});

function schemaFaults(wait: object, pointer: string): Fault[] {
  if (!Object.hasOwn(wait, 'schema') || Object.hasOwn(wait, 'signal')) return [];
  return [errorAt(`${pointer}/schema`, 'InvalidWait', 'A `schema` is of what a signal carries; this waits for none.')];
}

function countFaults(wait: object, kinds: readonly string[], pointer: string): Fault[] {
  const used = kinds.filter(kind => Object.hasOwn(wait, kind));
  if (used.length === 1) return schemaFaults(wait, pointer);
  const found = used.length === 0 ? 'says none' : `says ${quoted(used)}`;
  const message = `A wait is for one of ${quoted(kinds)}; this one ${found}.`;
  return [errorAt(pointer, 'InvalidWait', message, 'To wait for the first of several, list them in `first`.')];
}
