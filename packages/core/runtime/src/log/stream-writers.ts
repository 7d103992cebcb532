import type { Clock, EventStore } from '@signalbox/ports';
import type { Folding, Lean } from './folded-stream.ts';
import { StreamWriter } from './stream-writer.ts';

/** Streams of one kind that a process keeps read. */
const KEPT = 1_000;

/** The writers of streams of one kind, one of each; those that were not used for longest are forgotten. */
export class StreamWriters<Folded> {
  readonly #store: EventStore;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #folding: Folding<Folded>;
  readonly #lean: Lean | undefined;
  readonly #writers = new Map<string, StreamWriter<Folded>>();

  constructor(store: EventStore, clock: Pick<Clock, 'now'>, folding: Folding<Folded>, lean?: Lean) {
    this.#store = store;
    this.#clock = clock;
    this.#folding = folding;
    this.#lean = lean;
  }

  of(stream: string): StreamWriter<Folded> {
    const writer =
      this.#writers.get(stream) ?? new StreamWriter(this.#store, this.#clock, stream, this.#folding, this.#lean);
    this.#writers.delete(stream);
    this.#writers.set(stream, writer);
    for (const oldest of this.#writers.keys()) {
      if (this.#writers.size <= KEPT) break;
      this.#writers.delete(oldest);
    }
    return writer;
  }

  /** One that is kept, without using it. */
  kept(stream: string): StreamWriter<Folded> | undefined {
    return this.#writers.get(stream);
  }
}
