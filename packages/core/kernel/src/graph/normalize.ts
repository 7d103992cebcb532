import { canonicalJson } from '../json/canonical.ts';
import { sha256Hex } from '../json/digest.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { normalizedSchema } from '../schema/normalize.ts';
import { GRAPH_DEFAULTS } from './defaults.ts';
import type { GraphDefinition, StateKeyDefinition } from './definition.ts';
import { normalizeBudget, normalizeOnReached } from './normalize-limits.ts';
import { normalizeNode } from './normalize-node.ts';
import { duration, type Parts, type Stated, sorted, text, without } from './normalize-parts.ts';

/**
 * The form of a definition that is hashed: what means the same is written the same. These spellings are one:
 * 1. Keys in any order (routes, targets and fields keep theirs); members that are `undefined` or absent.
 * 2. Titles, descriptions and positions of graph and nodes, whatever they say. What a person is asked keeps its words.
 * 3. Schemas that differ in annotations and spelling only, as `normalizedSchema` has it.
 * 4. A default and its absence: of state keys, limits, zone, retry, map, fail, join nodes, resume and hold.
 * 5. Nothing to say and not saying it: an empty `routes` entry, `update`, `limits`, `graphs`, `share`, `next`,
 *    `restartTargets`, `assignees`, `fields`, `displays`, `actions`. (`input: {}` is not silence: the node then gets `{}`.)
 * 6. Durations of one length: `60s`, `1m`, `PT1M`.
 * 7. Sets in any order: `on` of routes and retries, `share`, `restartTargets`.
 * 8. A handler without a revision and `@1`.
 * 9. An option as a plain value, as an object, and with its value as label; a field with its own name as label, with
 *    `required: false`, or with a default in place of `required: true`.
 * 10. White space around an expression.
 */
export function normalizeDefinition(definition: GraphDefinition): GraphDefinition {
  const { name, entry, input, state, output, nodes, routes, limits, zone, graphs } = definition;
  return without<Stated<GraphDefinition>>({
    name,
    entry,
    input: normalizedSchema(input),
    state: mapValues(state, normalizeStateKey),
    output: output && mapValues(output, text),
    nodes: mapValues(nodes, normalizeNode),
    routes: mapValues(Object.fromEntries(Object.entries(routes).filter(([, list]) => list.length > 0)), list =>
      list.map(normalizeRoute),
    ),
    limits: normalizeLimits(limits),
    zone: zone === GRAPH_DEFAULTS.zone ? undefined : zone,
    graphs: graphs && Object.keys(graphs).length > 0 ? mapValues(graphs, normalizeDefinition) : undefined,
  }) as GraphDefinition;
}

/** The version of a graph: 64 hexadecimal digits, SHA-256 of the canonical JSON of the normalized definition. */
export function versionHash(definition: GraphDefinition): string {
  return sha256Hex(canonicalJson(plain(normalizeDefinition(definition))));
}

function normalizeStateKey({ schema, reducer }: StateKeyDefinition): StateKeyDefinition {
  const kept = reducer === undefined || reducer === 'replace' ? {} : { reducer };
  return { schema: normalizedSchema(schema), ...kept };
}

function normalizeRoute(route: GraphDefinition['routes'][string][number]) {
  const { to, on, when, predicate, because } = route;
  return without<Parts<typeof route>>({ to, on: sorted(on), when: when && text(when), predicate, because });
}

function normalizeLimits(limits: GraphDefinition['limits']) {
  if (limits === undefined) return undefined;
  const { maxSteps, maxVisits, maxSuccessive, timeout, noProgress, maxChain, budget, onReached } = limits;
  const kept = without<Parts<NonNullable<typeof limits>>>({
    maxSteps: unless(maxSteps, GRAPH_DEFAULTS.maxSteps),
    maxVisits: unless(maxVisits, GRAPH_DEFAULTS.maxVisits),
    maxSuccessive,
    timeout: duration(timeout),
    noProgress: unless(noProgress, GRAPH_DEFAULTS.noProgress),
    maxChain: unless(maxChain, GRAPH_DEFAULTS.maxChain),
    budget: normalizeBudget(budget),
    onReached: unless(normalizeOnReached(onReached), 'fail'),
  });
  return Object.keys(kept).length === 0 ? undefined : kept;
}

function unless<Value>(value: Value, silent: Value): Value | undefined {
  return value === silent ? undefined : value;
}

function mapValues<From, To>(from: Readonly<Record<string, From>>, to: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(from).map(([key, value]) => [key, to(value)]));
}

/** Without the members that are `undefined`, which are no JSON. */
function plain(value: unknown): JsonValue {
  if (Array.isArray(value)) return value.map(plain);
  if (!isJsonObject(value)) return value as JsonValue;
  const kept = Object.entries(value).filter(([, member]) => (member as unknown) !== undefined);
  return Object.fromEntries(kept.map(([key, member]) => [key, plain(member)])) as JsonObject;
}
