import { closest, type JsonObject, type JsonValue, pointerTo } from '@signalbox/kernel';
import { type Conversion, nameOf } from './conversion.ts';
import type { SourceNode, SourceScalar } from './source-node.ts';

/**
 * What may stand at one kind of place in a graph file: how it is read into the definition, and the JSON Schema that tells
 * an editor the same. `read` tells every fault to the conversion, marks what it read, and gives undefined for what is
 * broken.
 */
export interface Shape {
  readonly schema: JsonObject;
  read(node: SourceNode, pointer: string, conversion: Conversion): JsonValue | undefined;
}

/** `wanted` goes on from "must be". */
export function text(wanted = 'a text', description?: string): Shape {
  return {
    schema: description === undefined ? { type: 'string' } : { type: 'string', description },
    read: (node, pointer, conversion) => readText(node, pointer, conversion, wanted),
  };
}

export function readText(
  node: SourceNode,
  pointer: string,
  conversion: Conversion,
  wanted: string,
): string | undefined {
  conversion.mark(pointer, node);
  if (node.kind !== 'scalar') return conversion.wrong(node, pointer, wanted);
  return typeof node.value === 'string' ? node.value : conversion.textWanted(node, pointer, wanted);
}

export const CEL = text('an expression (CEL) as text', 'CEL');
export const DURATION = text(
  'a duration such as 500ms, 30s, 5m, 2h or 7d',
  'A duration: 500ms, 30s, 5m, 2h, 7d or ISO 8601',
);

/** One of a few words. */
export function word(...words: readonly string[]): Shape {
  const wanted = words.length === 1 ? words[0]! : `one of ${words.join(', ')}`;
  return {
    schema: { enum: words },
    read: (node, pointer, conversion) => {
      const found = readText(node, pointer, conversion, wanted);
      if (found === undefined || words.includes(found)) return found;
      const meant = closest(found, words);
      const hint = meant === undefined ? undefined : `Did you mean \`${meant}\`?`;
      conversion.break(pointer);
      const message = `${nameOf(pointer)} must be ${wanted}, not "${found}".`;
      conversion.fault('UnknownValue', pointer, message, hint === undefined ? {} : { hint });
      return undefined;
    },
  };
}

/** `bounds` are for the editor; the kernel checks them, and that a count is whole. */
export function number(bounds: JsonObject = {}): Shape {
  return {
    schema: { type: 'number', ...bounds },
    read: (node, pointer, conversion) => {
      conversion.mark(pointer, node);
      if (node.kind === 'scalar' && typeof node.value === 'number') return readNumber(node, pointer, conversion);
      return conversion.wrong(node, pointer, 'a number');
    },
  };
}

/** A number that a double holds and that nobody reads in two ways. */
export function readNumber(scalar: SourceScalar, pointer: string, conversion: Conversion): number | undefined {
  if (conversion.isBroken(pointer)) return undefined;
  const value = Number(scalar.value);
  const { raw } = scalar;
  const refuse = (why: string, hint: string): undefined => {
    conversion.break(pointer);
    conversion.fault('InvalidNumber', pointer, `${nameOf(pointer)} is ${why}.`, { hint });
  };
  if (!Number.isFinite(value)) return refuse('no finite number', 'JSON has no infinity and no NaN.');
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) {
    return refuse('a number beyond 2^53 - 1, which a double does not hold exactly', `Write it as text: "${raw}".`);
  }
  if (value === 0 && /^[-+.0]*[1-9]/.test(raw)) {
    return refuse('a number too close to 0 for a double', `Write it as text: "${raw}".`);
  }
  if (/^[-+]?0\d/.test(raw)) {
    return refuse('a number with a leading zero', `Quote it where it is a text: "${raw}"; else leave the zero out.`);
  }
  return value;
}

export const BOOLEAN: Shape = {
  schema: { type: 'boolean' },
  read: (node, pointer, conversion) => {
    conversion.mark(pointer, node);
    if (node.kind === 'scalar' && typeof node.value === 'boolean') return node.value;
    return conversion.wrong(node, pointer, 'true or false');
  },
};

export function list(of: Shape): Shape {
  return {
    schema: { type: 'array', items: of.schema },
    read: (node, pointer, conversion) => {
      conversion.mark(pointer, node);
      if (node.kind !== 'list') return conversion.wrong(node, pointer, 'a list');
      return node.items.flatMap((item, index) => {
        const value = of.read(item, pointerTo(pointer, index), conversion);
        return value === undefined ? [] : [value];
      });
    },
  };
}

/** A map with names of the author's choice. */
export function record(of: Shape): Shape {
  return {
    schema: { type: 'object', additionalProperties: of.schema },
    read: (node, pointer, conversion) => {
      conversion.mark(pointer, node);
      if (node.kind !== 'map') return conversion.wrong(node, pointer, 'a map');
      const values: Record<string, JsonValue> = {};
      for (const { key, keyAt, value } of node.entries) {
        const place = pointerTo(pointer, key);
        conversion.mark(place, value, keyAt);
        const read = of.read(value, place, conversion);
        if (read !== undefined) values[key] = read;
      }
      return values;
    },
  };
}

/** Shapes told apart by how the value is written. */
export function byKind(
  kinds: { readonly scalar?: Shape; readonly list?: Shape; readonly map?: Shape },
  wanted: string,
): Shape {
  const shapes = [kinds.scalar, kinds.list, kinds.map].filter(shape => shape !== undefined);
  return {
    schema: { anyOf: shapes.map(shape => shape.schema) },
    read: (node, pointer, conversion) => {
      const shape = node.kind === 'broken' ? undefined : kinds[node.kind];
      if (shape !== undefined) return shape.read(node, pointer, conversion);
      conversion.mark(pointer, node);
      if (node.kind === 'scalar' && kinds.list === undefined && kinds.map === undefined) {
        return conversion.textWanted(node, pointer, wanted);
      }
      return conversion.wrong(node, pointer, wanted);
    },
  };
}

/** `a` is read as `[a]`. */
export function listOrOne(of: Shape, wanted: string): Shape {
  const many = list(of);
  return {
    schema: { anyOf: [of.schema, many.schema] },
    read: (node, pointer, conversion) => {
      conversion.mark(pointer, node);
      if (node.kind === 'list') return many.read(node, pointer, conversion);
      if (node.kind !== 'scalar') return conversion.wrong(node, pointer, `${wanted} or a list of them`);
      const value = of.read(node, pointerTo(pointer, 0), conversion);
      if (value === undefined) conversion.break(pointer);
      return value === undefined ? undefined : [value];
    },
  };
}

/** A shape that is used inside itself; `name` is its name under `$defs`. */
export function named(name: string, shape: () => Shape): Shape {
  return {
    schema: { $ref: `#/$defs/${name}` },
    read: (node, pointer, conversion) => shape().read(node, pointer, conversion),
  };
}
