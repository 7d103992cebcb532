import type { OpKind } from '@signalbox/kernel';

interface Waiting {
  readonly op: string;
  /** Of a result that has just come. */
  readonly kind: OpKind | undefined;
  readonly deliver: () => void;
}

/**
 * Hands results to a handler in the order in which they were recorded, so that races come out the same every time.
 *  1. While several operations are outstanding, one result at a time: the next only after the code that the last one
 *     woke has run as far as it can.
 *  2. On re-execution a result waits until every result recorded before it was asked for and delivered.
 */
export class Delivery {
  /** Recorded operations not yet delivered, in recorded order. */
  readonly #expected: string[];
  #asked: Map<string, Waiting> | undefined;
  readonly #live: Waiting[] = [];
  readonly #soon: (fn: () => void) => void;
  readonly #behind: (() => void)[] = [];
  #outstanding = 0;
  #running = false;

  /** `soon`: see the clock's. */
  constructor(recordedOrder: readonly string[], soon: (fn: () => void) => void) {
    this.#soon = soon;
    this.#expected = [...recordedOrder];
  }

  /** Operations recorded earlier that the handler has not asked for. */
  get unasked(): readonly string[] {
    return this.#expected.length === 0 ? this.#expected : this.#expected.filter(op => !this.#asked?.has(op));
  }

  /** True while some result could still be delivered without anything new. */
  get busy(): boolean {
    return this.#running;
  }

  /** Results that wait for an earlier one nobody asked for. */
  get blocked(): boolean {
    return (this.#asked?.size ?? 0) + this.#live.length > 0 && !this.busy;
  }

  /** Performed operations (`run`) whose results are held back so. */
  get held(): number {
    return this.busy ? 0 : this.#live.filter(({ kind }) => kind === 'run').length;
  }

  /** Resolves once every result recorded earlier was asked for and delivered; undefined when that is so. */
  caughtUp(): Promise<void> | undefined {
    return this.#expected.length === 0 ? undefined : new Promise(resolve => this.#behind.push(resolve));
  }

  #tellCaughtUp(): void {
    if (this.#expected.length === 0) for (const resolve of this.#behind.splice(0)) resolve();
  }

  /** An operation begins to be waited for. */
  begin(): void {
    this.#outstanding += 1;
  }

  /** It was recorded in an earlier execution: delivered in its turn. */
  replay(op: string, deliver: () => void): void {
    this.#asked ??= new Map();
    this.#asked.set(op, { op, kind: undefined, deliver });
    this.#start();
  }

  /** Its result has just come. */
  live(op: string, kind: OpKind, deliver: () => void): void {
    this.#live.push({ op, kind, deliver });
    this.#start();
  }

  /** A recorded fact that is no wait (a decision): asked for and delivered at once. */
  passed(op: string): void {
    const index = this.#expected.indexOf(op);
    if (index >= 0) this.#expected.splice(index, 1);
    this.#tellCaughtUp();
    this.#start();
  }

  #start(): void {
    if (!this.#running) void this.#run();
  }

  async #run(): Promise<void> {
    this.#running = true;
    for (;;) {
      const next = this.#next();
      if (next === undefined) break;
      this.#outstanding -= 1;
      next.deliver();
      if (this.#outstanding > 0) await new Promise<void>(resolve => this.#soon(resolve));
    }
    this.#running = false;
  }

  #next(): Waiting | undefined {
    const [first] = this.#expected;
    if (first === undefined) return this.#live.shift();
    const asked = this.#asked?.get(first);
    if (asked === undefined) return undefined;
    this.#expected.shift();
    this.#asked?.delete(first);
    this.#tellCaughtUp();
    return asked;
  }
}
