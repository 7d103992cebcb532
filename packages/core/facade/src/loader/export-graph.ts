import { type GraphDefinition, isJsonObject, type JsonObject, type JsonValue } from '@signalbox/kernel';
import { Document, isScalar, visit } from 'yaml';
import type { TextFormat } from './parse-source.ts';

export interface ExportGraphOptions {
  /** Written as the file's `version:`, which is for people and no part of the definition. */
  readonly version?: string;
}

/**
 * The text of a definition: what `loadGraph` reads from it is that definition again, hence the same version hash.
 * Non-ASCII stays readable; in YAML a text is quoted wherever YAML 1.2 or 1.1 would take it for something else.
 */
export function exportGraph(definition: GraphDefinition, format: TextFormat, options: ExportGraphOptions = {}): string {
  const { version } = options;
  const { name, ...rest } = definition;
  const whole = { name, ...(version === undefined ? {} : { version }), ...rest };
  if (format === 'json') return `${JSON.stringify(plain(whole), null, 2)}\n`;
  const document = new Document(plain(withShortRoutes(whole)), {
    version: '1.2',
    schema: 'core',
    compat: 'yaml-1.1',
    aliasDuplicateObjects: false,
  });
  visit(document, {
    Seq: (_, list) => {
      list.flow = isShort(list.items);
    },
  });
  return document.toString({ lineWidth: 0 });
}

/** `to: reply` instead of a list of one. */
function withShortRoutes(graph: GraphDefinition): object {
  const routes = mapValues(graph.routes, list =>
    list.map(({ to, ...route }) => ({ to: to.length === 1 ? to[0] : to, ...route })),
  );
  return {
    ...graph,
    routes,
    ...(graph.graphs === undefined ? {} : { graphs: mapValues(graph.graphs, withShortRoutes) }),
  };
}

function mapValues<From, To>(from: Readonly<Record<string, From>>, to: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(from).map(([key, value]) => [key, to(value)]));
}

/** A list that reads well in one line: `[refund, faq]`. */
function isShort(items: readonly unknown[]): boolean {
  const texts = items.map(item => (isScalar(item) ? String(item.value) : undefined));
  return texts.every(text => text !== undefined && !/\s/.test(text)) && texts.join(', ').length <= 80;
}

/** Without members that are `undefined`, which YAML would hold as null. */
function plain(value: unknown): JsonValue {
  if (Array.isArray(value)) return value.map(plain);
  if (!isJsonObject(value)) return value as JsonValue;
  const members = Object.entries(value as Readonly<Record<string, unknown>>).filter(
    ([, member]) => member !== undefined,
  );
  return Object.fromEntries(members.map(([key, member]) => [key, plain(member)])) as JsonObject;
}
