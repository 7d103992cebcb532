import type { Principal } from '@signalbox/kernel';
import { type Append, type Clock, type EventStore, isStoreConflict } from '@signalbox/ports';
import { FoldedStream, type Folding, type Lean } from './folded-stream.ts';
import type { Payload } from './payload.ts';

/** How often an append is decided anew when others write to the stream at the same time. */
const ATTEMPTS = 50;

/**
 * A stream beside those of runs, as the writers of one process share it.
 *  1. What is written here is written one after the other, so that this process never loses to itself.
 *  2. When another process was first, it is decided anew on what that one has written.
 */
export class StreamWriter<Folded> {
  readonly #store: EventStore;
  readonly #clock: Pick<Clock, 'now'>;
  readonly stream: string;
  readonly #log: FoldedStream<Folded>;
  readonly #lean: Lean | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(store: EventStore, clock: Pick<Clock, 'now'>, stream: string, folding: Folding<Folded>, lean?: Lean) {
    this.#store = store;
    this.#clock = clock;
    this.stream = stream;
    this.#log = new FoldedStream(store, stream, folding);
    this.#lean = lean;
  }

  /** As this process read or wrote it last. */
  get folded(): Folded {
    return this.#log.folded;
  }

  get seq(): number {
    return this.#log.seq;
  }

  /** After what is being written here, and with what others have written. */
  refresh(): Promise<void> {
    return this.#inTurn(() => this.#log.refresh());
  }

  /**
   * Has `commit` put what `decide` gives into a batch; decided anew when this stream has moved on, and only then. With
   * nothing to write, nothing is committed.
   */
  write(
    decide: (folded: Folded, seq: number) => readonly object[],
    actor: Principal,
    commit: (append: Append, events: readonly object[], payloads: readonly Payload[]) => Promise<void> = append =>
      this.#store.commit({ appends: [append] }, { sync: true }),
  ): Promise<void> {
    return this.#inTurn(async () => {
      for (let attempt = 1; ; attempt += 1) {
        const events = decide(this.#log.folded, this.#log.seq);
        if (events.length === 0) return;
        const { append, payloads, landed } = this.#log.prepare(events, actor, this.#clock.now(), this.#lean);
        try {
          await commit(append, events, payloads);
          return await landed();
        } catch (error) {
          if (!isStoreConflict(error) || error.details.stream !== this.stream) throw error;
          await this.#log.refresh();
          if (attempt >= ATTEMPTS) throw error;
        }
      }
    });
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#last.then(work);
    // Told to whoever asked for it.
    this.#last = done.catch(() => {});
    return done;
  }
}
