import type { JsonObject } from '@signalbox/kernel';
import { createRandom, type Random } from '../../simulation/sim/random.ts';

/** What puts the question: a node, a handler, or a node that begins the run anew with the answer. */
export type Asker = 'node' | 'handler' | 'restart';

/** When the deliveries of a scenario come. `early`: some before the commit that opens the question. */
export type Circumstance = 'open' | 'early' | 'expiry' | 'cancel';

/** One answer of somebody. However often it is delivered, it is the same. */
export interface Message {
  readonly action: 'approve' | 'reject' | 'cancel';
  readonly values: JsonObject;
  readonly as: string;
  readonly key?: string;
}

export interface Delivery {
  /** Index of its message. */
  readonly message: number;
  /** Index of the process that it comes to. */
  readonly process: 0 | 1;
  /** Turns of the event loop that it comes later than the first of its part. */
  readonly turns: number;
}

/** One run with one question, and all that comes for it. */
export interface Scenario {
  readonly name: string;
  readonly asker: Asker;
  readonly circumstance: Circumstance;
  /** Index of the process that starts and drives the run. */
  readonly starter: 0 | 1;
  readonly messages: readonly Message[];
  /** What comes before, or while, what the circumstance is named after happens. */
  readonly before: readonly Delivery[];
  readonly after: readonly Delivery[];
  /** What comes after is sent while what the circumstance is named after is still under way. */
  readonly overlaps: boolean;
}

const MOST_DUPLICATES = 20;
export const GREATEST_AMOUNT = 500;

/** The same for the same seed and number. */
export function scenarioOf(seed: number, number: number): Scenario {
  const random = createRandom(seed, `scenario ${number}`);
  const circumstance = random.pick<Circumstance>(['open', 'early', 'expiry', 'cancel']);
  const messages = Array.from({ length: 1 + random.int(4) }, (_, index) => messageOf(random, index));
  const deliveries = messages.flatMap((_, message) =>
    Array.from({ length: 1 + random.int(MOST_DUPLICATES) }, () => deliveryOf(random, message)),
  );
  // Where much comes before, what happens in between mostly finds the question closed.
  const cut = Math.round(deliveries.length * random.pick([0, 0, 0.1, 0.5, 0.9]));
  const shuffled = shuffle(random, deliveries);
  return {
    name: `seed ${seed}, scenario ${number}`,
    asker: random.pick<Asker>(['node', 'handler', 'restart']),
    circumstance,
    starter: random.pick([0, 1]),
    messages,
    before: shuffled.slice(0, circumstance === 'early' ? Math.max(1, cut) : cut),
    after: shuffled.slice(circumstance === 'early' ? Math.max(1, cut) : cut),
    overlaps: random.chance(0.4),
  };
}

function messageOf(random: Random, index: number): Message {
  const action = random.weighted([
    [6, 'approve'],
    [1, 'reject'],
    [1, 'cancel'],
  ]);
  // Each answer is another, so that the log tells whose was taken.
  const amount = random.chance(0.2) ? GREATEST_AMOUNT + 1 + index : index;
  return {
    action,
    values: action === 'approve' ? { amount } : {},
    as: random.pick(['user:finn', 'user:mia']),
    ...(random.chance(0.75) ? { key: `key ${index}` } : {}),
  };
}

function deliveryOf(random: Random, message: number): Delivery {
  return { message, process: random.pick([0, 1]), turns: random.int(8) };
}

function shuffle<Item>(random: Random, items: readonly Item[]): Item[] {
  const left = [...items];
  const shuffled = [];
  while (left.length > 0) shuffled.push(...left.splice(random.int(left.length), 1));
  return shuffled;
}

export function deliveriesOf({ before, after }: Scenario): number {
  return before.length + after.length;
}
