interface Wish {
  readonly at: number;
  readonly runId: string;
}

/**
 * Who wants to be driven when, in order of time.
 *  1. `#row` from `#first` on is sorted by time; what lies before it is done with.
 *  2. Most wishes are for later than all others, so most are added at the end; taking what is due looks at nothing else.
 */
export class Wishes {
  #row: Wish[] = [];
  #first = 0;

  /** The earliest time wished for. */
  get next(): number | undefined {
    return this.#row[this.#first]?.at;
  }

  /** The same wish counts once. */
  add(at: number, runId: string): void {
    const place = this.#placeAfter(at);
    for (let before = place - 1; before >= this.#first && this.#row[before]?.at === at; before -= 1)
      if (this.#row[before]?.runId === runId) return;
    if (place === this.#row.length) this.#row.push({ at, runId });
    else this.#row.splice(place, 0, { at, runId });
  }

  /** Takes out the wishes for `now` and before, earliest first. */
  take(now: number): string[] {
    const taken: string[] = [];
    for (let wish = this.#row[this.#first]; wish !== undefined && wish.at <= now; wish = this.#row[this.#first]) {
      taken.push(wish.runId);
      this.#first += 1;
    }
    if (this.#first * 2 > this.#row.length) {
      this.#row = this.#row.slice(this.#first);
      this.#first = 0;
    }
    return taken;
  }

  clear(): void {
    this.#row = [];
    this.#first = 0;
  }

  #placeAfter(at: number): number {
    let low = this.#first;
    let high = this.#row.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#row[middle]!.at <= at) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
