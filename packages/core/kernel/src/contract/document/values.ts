import { isDecimalText } from '../../budget/decimal-text.ts';
import { errorAt } from '../../graph/check/fault.ts';
import { count, duration, filledText, flag, numberIn, oneOf, schema, text } from '../../graph/check/read.ts';
import { assignee } from '../../graph/check/request-shape.ts';
import { isJsonObject, type JsonValue } from '../../json/value.ts';
import { parseDuration } from '../../time/duration.ts';
import { inside, leaf, list, object, optional, type Place, type Reading, type Shape } from './shape.ts';

export const TEXT = leaf({ type: 'string' }, text);
export const FILLED = leaf({ type: 'string', minLength: 1 }, filledText);
export const CEL = leaf({ type: 'string', description: 'CEL' }, filledText);
export const FLAG = leaf({ type: 'boolean' }, flag);
export const COUNT = leaf({ type: 'integer', minimum: 1 }, count(1));
export const WHOLE = leaf({ type: 'integer', minimum: 0 }, count(0));
export const SHARE = leaf({ type: 'number', minimum: 0, maximum: 1 }, numberIn(0, 1));
export const FACTOR = leaf({ type: 'number', minimum: 1, maximum: 100 }, numberIn(1, 100));
export const SCHEMA = leaf({ type: 'object' }, schema);
export const DURATION = leaf(
  { type: 'string', description: 'A duration: 500ms, 30s, 5m, 2h, 7d or ISO 8601' },
  duration,
);
export const TEXTS = list(FILLED);
/** `user:NAME`, `role:NAME` or `service:NAME`. */
export const ASSIGNEES = list(leaf({ type: 'string', examples: ['role:finance'] }, assignee));

export function word(what: string, ...words: readonly string[]): Shape {
  return leaf({ enum: words }, oneOf(what, words));
}

export const isText = (value: JsonValue): boolean => typeof value === 'string';
export const isFlag = (value: JsonValue): boolean => typeof value === 'boolean';
export const isNumber = (value: JsonValue): boolean => typeof value === 'number';
export const isMap = (value: JsonValue): boolean => isJsonObject(value);

/** Tries again, as a node has them. */
export const RETRY = object('`retry`', {
  attempts: { shape: leaf({ type: 'integer', minimum: 1, maximum: 1_000 }, count(1, 1_000)), required: { standIn: 1 } },
  ...optional({ backoff: DURATION, factor: FACTOR, maxBackoff: DURATION, jitter: SHARE, on: TEXTS }),
});

const CURRENCY = /^[A-Z]{3}$/;

const MONEY_PARTS = object('An amount of money', {
  amount: { shape: FILLED, required: { standIn: '0' } },
  currency: { shape: FILLED, required: { standIn: 'USD' } },
});

/** `0.05 USD`, or `{ amount: "0.05", currency: USD }`. */
const MONEY: Shape = {
  schema: { anyOf: [{ type: 'string', examples: ['0.05 USD'] }, MONEY_PARTS.schema] },
  read: (value, place, reading) => {
    reading.mark(place);
    const parts = isText(value)
      ? splitMoney(String(value))
      : isMap(value)
        ? MONEY_PARTS.read(value, place, reading)
        : {};
    const { amount, currency } = (parts ?? {}) as { amount?: string; currency?: string };
    if (isDecimalText(amount ?? '') && !amount!.startsWith('-') && CURRENCY.test(currency ?? ''))
      return { amount: amount!, currency: currency! };
    const hint = 'Write "0.05 USD", or { amount: "0.05", currency: USD }.';
    reading.faults.push(errorAt(place.written, 'InvalidAmount', 'This is no amount of money.', hint));
    return undefined;
  },
};

function splitMoney(text: string): JsonValue {
  const [amount = '', currency = ''] = text.trim().split(/\s+/);
  return { amount, currency };
}

/** A duration, in the definition as milliseconds. */
const TIME: Shape = {
  schema: DURATION.schema,
  read: (value, place, reading) => {
    const read = DURATION.read(value, place, reading);
    return typeof read === 'string' ? parseDuration(read) : undefined;
  },
};

export const AMOUNTS = object(
  'An amount',
  optional({ tokens: WHOLE, money: MONEY, modelCalls: WHOLE, toolCalls: WHOLE, time: TIME }),
);

/** Names of arguments or JSON pointers, as pointers. */
export function toPointer(written: string): string {
  if (written === '' || written.startsWith('/')) return written;
  return inside({ written: '', target: '' }, written).target;
}

/** A list of names or JSON pointers. */
export const POINTERS: Shape = {
  schema: { type: 'array', items: { type: 'string', description: 'The name of an argument, or a JSON pointer' } },
  read: (value, place, reading) => {
    const read = TEXTS.read(value, place, reading);
    return Array.isArray(read) ? read.map(item => toPointer(String(item))) : undefined;
  },
};

/** Keys as JSON pointers. */
export function pointerKey(key: string, _place: Place, _reading: Reading): string {
  return toPointer(key);
}
