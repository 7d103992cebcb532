import type { EventStore } from '@signalbox/ports';

/** Data of one check, empty at first. */
export interface StoreFixture {
  /** Opens a store on the data. Called several times: each is a store object of its own, as of another process. */
  open(): EventStore | Promise<EventStore>;
  /** Called after all stores were closed. */
  dispose?(): void | Promise<void>;
}

export type StoreFactory = () => StoreFixture | Promise<StoreFixture>;

/** What a check works on. */
export interface StoreWorld {
  readonly store: EventStore;
  /** Another store object on the same data. */
  another(): Promise<EventStore>;
}

/** `for`: only stores with that feature; absent: all. */
export interface StoreCheck {
  readonly name: string;
  readonly for?: 'chained' | 'objects' | 'durable';
  readonly body: (world: StoreWorld) => Promise<void>;
}

export function check(name: string, body: StoreCheck['body']): StoreCheck {
  return { name, body };
}

export function checkFor(feature: NonNullable<StoreCheck['for']>, name: string, body: StoreCheck['body']): StoreCheck {
  return { name, for: feature, body };
}
