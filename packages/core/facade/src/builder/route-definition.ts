import { pointerTo, type RouteDefinition } from '@signalbox/kernel';
import type { Assembly } from './assembly.ts';
import { present } from './present.ts';
import type { RouteOptions } from './routes.ts';

/** A route as it is written, without the names that it may use. */
export type AnyRoute = RouteOptions<string, NonNullable<RouteDefinition['on']>[number], never>;

/** The routes of one node as data. A guard in TypeScript is found by the key `graph/node/when<index>@1`. */
export function routeDefinitions(node: string, routes: readonly AnyRoute[], assembly: Assembly): RouteDefinition[] {
  return routes.map((route, index) => {
    const { to, on, when, until, because } = route;
    const pointer = `${pointerTo('/routes', node)}/${index}`;
    if (when !== undefined && until !== undefined) {
      assembly.fault(
        'ConflictingGuards',
        pointer,
        'A route has `when` or `until`, not both.',
        'Join them in one `when`.',
      );
    }
    return present({
      to: listOf(to),
      on: on === undefined ? undefined : listOf(on),
      when: typeof when === 'string' ? when : until === undefined ? undefined : `!(${until})`,
      predicate:
        typeof when === 'function'
          ? assembly.predicate(`${assembly.graph}/${node}/when${index}@1`, view => when(view as never), pointer)
          : undefined,
      because,
    });
  });
}

function listOf<Item extends string>(value: Item | readonly Item[]): readonly Item[] {
  return typeof value === 'string' ? [value] : value;
}
