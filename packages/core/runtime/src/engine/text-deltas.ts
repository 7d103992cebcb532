/** A part of a model's reply as it came: no fact, never in the log, and without a reply where its call comes to nothing. */
export interface TextDelta {
  readonly node: string;
  readonly delta: string;
}

/** Partial text of the models of this process, for whoever follows a run. Nothing is kept for a run that nobody follows. */
export class TextDeltas {
  readonly #followers = new Map<string, Set<TextFollower>>();

  follow(runId: string): TextFollower {
    const followers = this.#followers.get(runId) ?? new Set();
    const follower = new TextFollower(() => {
      followers.delete(follower);
      if (followers.size === 0) this.#followers.delete(runId);
    });
    this.#followers.set(runId, followers.add(follower));
    return follower;
  }

  /** What is durable by now: what comes from here on comes after it. */
  committed(runId: string, seq: number): void {
    for (const follower of this.#followers.get(runId) ?? []) follower.committed(seq);
  }

  tell({ runId, node }: { readonly runId: string; readonly node: string }, delta: string): void {
    for (const follower of this.#followers.get(runId) ?? []) follower.push({ node, delta });
  }
}

/** Holds what came until it is taken, each part behind the event that was the last one when it came. */
export class TextFollower {
  readonly stop: () => void;
  readonly #waiting: { readonly after: number; readonly text: TextDelta }[] = [];
  #seq = 0;
  #arrived: (() => void) | undefined;

  constructor(stop: () => void) {
    this.stop = stop;
  }

  committed(seq: number): void {
    this.#seq = seq;
  }

  push(text: TextDelta): void {
    this.#waiting.push({ after: this.#seq, text });
    this.#arrived?.();
  }

  /** What came before the event of that number. */
  *before(seq: number): Generator<TextDelta> {
    while (this.#waiting.length > 0 && this.#waiting[0]!.after < seq) yield this.#waiting.shift()!.text;
  }

  /** Resolves when more comes. */
  arrives(): Promise<void> {
    return new Promise(resolve => {
      this.#arrived = resolve;
    });
  }
}
