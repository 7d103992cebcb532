import { type Fault, pointerTo } from '../error/fault.ts';
import type { JsonObject } from '../json/value.ts';
import { FORMATS } from './formats.ts';

/** What is wrong with keywords that mean nothing, or the contrary, without or with one beside them. */
export function checkSiblings(schema: JsonObject, pointer: string): Fault[] {
  return [...checkNullable(schema, pointer), ...checkFormatBounds(schema, pointer)];
}

function checkNullable({ nullable, type }: JsonObject, pointer: string): Fault[] {
  if (typeof nullable !== 'boolean') return [];
  const place = pointerTo(pointer, 'nullable');
  if (type === undefined || (Array.isArray(type) && type.length === 0)) {
    const hint = 'Write the `type` beside it, or a choice with null: anyOf: [{ … }, { type: "null" }].';
    return [fault(place, '`nullable` adds null to a `type`, and there is none beside it.', hint)];
  }
  const types = Array.isArray(type) ? type : [type];
  if (nullable || !types.includes('null')) return [];
  return [fault(place, '`nullable` is false, and `type` names null.', 'Leave one of the two out.')];
}

const FORMAT_BOUNDS = ['formatMinimum', 'formatMaximum', 'formatExclusiveMinimum', 'formatExclusiveMaximum'];

function checkFormatBounds(schema: JsonObject, pointer: string): Fault[] {
  return FORMAT_BOUNDS.filter(keyword => typeof schema[keyword] === 'string' && !isOrdered(schema.format)).map(
    keyword => {
      const message =
        schema.format === undefined
          ? `\`${keyword}\` bounds a \`format\`, and there is none beside it.`
          : `\`${keyword}\` cannot bound the format ${JSON.stringify(schema.format)}, which has no order.`;
      return fault(pointerTo(pointer, keyword), message, 'Formats that have an order are date, time and date-time.');
    },
  );
}

/** A format that is not known is told elsewhere. */
function isOrdered(format: JsonObject[string] | undefined): boolean {
  if (typeof format !== 'string') return format !== undefined;
  const known = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  return known === undefined || (typeof known === 'object' && 'compare' in known && known.compare !== undefined);
}

function fault(pointer: string, message: string, hint: string): Fault {
  return { code: 'InvalidSchema', severity: 'error', pointer, message, hint };
}
