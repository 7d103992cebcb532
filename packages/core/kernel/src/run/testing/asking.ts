import { checkDefinition } from '../../graph/compile.ts';
import type { GraphDefinition } from '../../graph/definition.ts';
import type { RequestDefinition } from '../../request/definition.ts';
import { graph, Scenario } from './scenario.ts';

type Asked = Partial<RequestDefinition>;

/** A graph that asks for a confirmation and ends. */
export function asking(request: Asked, more: Partial<GraphDefinition> = {}): GraphDefinition {
  return graph({
    nodes: { ask: { type: 'ask', request: { kind: 'confirmation', title: 'Pay?', ...request } } },
    ...more,
  });
}

export function startedAsking(request: Asked, more?: Partial<GraphDefinition>): Scenario {
  return new Scenario(asking(request, more)).start();
}

/** Code and place of each fault of the request. */
export function faultsOfAsking(request: Asked): string[] {
  return checkDefinition(asking(request)).map(
    ({ code, pointer }) => `${code} ${pointer.replace('/nodes/ask/request', '')}`,
  );
}
