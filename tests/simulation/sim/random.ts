/** A stream of choices that is the same for the same seed. */
export interface Random {
  /** 0 up to, not including, `below`. */
  int(below: number): number;
  chance(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
  /** By weight. */
  weighted<const Item>(items: readonly (readonly [weight: number, item: Item])[]): Item;
}

/** Streams of one seed with different names do not depend on each other. */
export function createRandom(seed: number, stream: string): Random {
  let state = scramble(seed);
  for (let index = 0; index < stream.length; index += 1) state = scramble(state ^ stream.charCodeAt(index));

  function next(): number {
    state = (state + 0x9e3779b9) | 0;
    return (scramble(state) >>> 0) / 2 ** 32;
  }

  const random: Random = {
    int: below => Math.floor(next() * below),
    chance: probability => next() < probability,
    pick: items => items[random.int(items.length)]!,
    weighted(items) {
      let left = next() * items.reduce((sum, [weight]) => sum + weight, 0);
      for (const [weight, item] of items) {
        left -= weight;
        if (left < 0) return item;
      }
      return items.at(-1)![1];
    },
  };
  return random;
}

/** Spreads every bit of a 32-bit number over all of it. */
function scramble(value: number): number {
  let mixed = value | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x0aaf3467 | 1);
  return mixed ^ (mixed >>> 16);
}
