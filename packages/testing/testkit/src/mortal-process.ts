import type { Clock, EventStore } from '@signalbox/ports';

/** What one process has of the world; after `kill` nothing of it reaches that process, nor the other way round. */
export interface MortalProcess {
  readonly store: EventStore;
  readonly clock: Clock;
  /** Dies on the spot: calls under way may have landed, and nobody learns of it. */
  kill(): void;
}

/** `store` is this process's own object on data that outlive it. */
export function createMortalProcess(store: EventStore, clock: Clock): MortalProcess {
  let alive = true;
  const ends = new Set<() => void>();

  function whileAlive<Value>(promise: Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      promise.then(
        value => alive && resolve(value),
        error => alive && reject(error),
      );
    });
  }

  function ending(stop: () => void): () => void {
    ends.add(stop);
    return () => {
      ends.delete(stop);
      stop();
    };
  }

  const mortalStore = new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]): unknown => {
        if (!alive) return new Promise(() => {});
        const result: unknown = Reflect.apply(member, target, args);
        return result instanceof Promise ? whileAlive(result) : result;
      };
    },
  });

  return {
    store: mortalStore,
    clock: {
      now: () => clock.now(),
      at: (at, fn) => {
        if (!alive) return () => {};
        const stop: () => void = ending(
          clock.at(at, () => {
            ends.delete(stop);
            fn();
          }),
        );
        return stop;
      },
      every: (period, fn) => (alive ? ending(clock.every(period, fn)) : () => {}),
      soon: fn => {
        if (alive) clock.soon(() => alive && fn());
      },
    },
    kill() {
      alive = false;
      for (const stop of ends) stop();
      ends.clear();
      void store.close();
    },
  };
}
