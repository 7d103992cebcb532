import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from '@signalbox/kernel';

export const WAYS = [
  'approve with values',
  'edit',
  'approve with values and the digest',
  'digest of another call',
  'request of another run',
  'as the model',
  'as a tool',
  'message of a client',
  'signal',
] as const;

export interface Mutation {
  readonly args: JsonObject;
  readonly way: (typeof WAYS)[number];
}

/** So many different sets of arguments, none of them `args`, in turn by every way; always the same ones. */
export function mutations(args: JsonObject, count: number): Mutation[] {
  const random = generator(20_261_130);
  const seen = new Set([canonicalJson(args)]);
  const found: Mutation[] = [];
  while (found.length < count) {
    let mutated = args;
    for (let times = 1 + Math.floor(random() * 3); times > 0; times -= 1) mutated = mutate(mutated, random);
    const text = canonicalJson(mutated);
    if (seen.has(text)) continue;
    seen.add(text);
    found.push({ args: mutated, way: WAYS[found.length % WAYS.length]! });
  }
  return found;
}

type Random = () => number;

/** Changes a value, takes a key away, adds one, or moves a value under another key. */
function mutate(args: JsonObject, random: Random): JsonObject {
  const keys = Object.keys(args);
  const key = keys[Math.floor(random() * keys.length)];
  const { [key ?? '']: value = null, ...rest } = args;
  const kind = random();
  if (key === undefined || kind < 0.1) return { ...args, [pick(EXTRA_KEYS, random)]: pick(ODD, random) };
  if (kind < 0.15) return rest;
  if (kind < 0.2) return { ...rest, [pick(EXTRA_KEYS, random)]: value };
  return { ...args, [key]: changed(value, random) };
}

const EXTRA_KEYS = ['Order', 'orders', 'cent', 'amount', 'approved', 'to', 'iban', 'constructor', ''];
const ODD: readonly JsonValue[] = [null, true, 0, -1, '', 'yes', [], {}, [1], { cel: 'state.known' }, 1e21, '９９'];

function changed(value: JsonValue, random: Random): JsonValue {
  if (random() < 0.15) return pick(ODD, random);
  if (typeof value === 'number')
    return pick([value + 1, value - 1, value * 10, -value, value + 0.5, Math.floor(random() * 50_000)], random);
  if (typeof value === 'boolean') return pick([!value, String(value), value ? 1 : 0], random);
  if (typeof value === 'string') return changedText(value, random);
  return isJsonObject(value) ? mutate(value, random) : [value];
}

function changedText(text: string, random: Random): JsonValue {
  const at = Math.floor(random() * (text.length + 1));
  const letter = pick(['0', '1', '9', 'x', ' ', '\u200b', '-', '１', 'é'], random);
  return pick(
    [
      text.slice(0, at) + letter + text.slice(at),
      text.slice(0, at) + text.slice(at + 1),
      text.toLowerCase(),
      `${text}${letter}`,
      `A-${Math.floor(random() * 10_000)}`,
      [text],
    ],
    random,
  );
}

function pick<Value>(values: readonly Value[], random: Random): Value {
  return values[Math.floor(random() * values.length)]!;
}

/** Mulberry32. */
function generator(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
