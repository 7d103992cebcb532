import { isJsonObject, type JsonObject, type JsonValue } from '@signalbox/kernel';
import { Document, isScalar, visit } from 'yaml';
import type { TextFormat } from './parse-source.ts';

/**
 * Data as text that people read. Non-ASCII stays readable; in YAML a text is quoted wherever YAML 1.2 or 1.1 would take
 * it for something else.
 */
export function writeText(value: object, format: TextFormat): string {
  if (format === 'json') return `${JSON.stringify(plain(value), null, 2)}\n`;
  const document = new Document(plain(value), {
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
