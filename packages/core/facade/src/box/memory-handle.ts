import type { JsonObject, MemoryEntry } from '@signalbox/kernel';
import { checkOptions } from '@signalbox/kernel';
import { type Engine, editMemory, forgetMemory, listMemory, type MemoryPlace } from '@signalbox/runtime';
import { MEMORY_OF } from './call-options.ts';
import { type Actor, toPrincipal } from './principal.ts';

/** Whose memory: exactly one of the three. */
export type MemoryOf = { readonly tenant?: string } & (
  | { readonly run: string }
  | { readonly session: string }
  | { readonly user: string }
);

/** What is remembered of answers in a run, in a session or of a user. */
export class MemoryHandle {
  readonly #engine: Engine;
  readonly #place: MemoryPlace;

  constructor(engine: Engine, whose: MemoryOf) {
    checkOptions('box.memory', whose, MEMORY_OF);
    const { tenant = 'default', ...of } = whose;
    this.#engine = engine;
    this.#place = { tenant, ...of } as MemoryPlace;
  }

  /** In the order of writing; what has expired is listed as well, and not taken any more. */
  list(): Promise<readonly MemoryEntry[]> {
    return listMemory(this.#engine, this.#place);
  }

  /** Writes over what is remembered under a key, or writes it first. `ttl`: for how long from now. */
  async edit(
    key: string,
    values: JsonObject,
    options: { readonly ttl?: string; readonly reason?: string; readonly as?: Actor } = {},
  ): Promise<this> {
    const { as, ...more } = options;
    await editMemory(this.#engine, this.#place, { key, values, ...more }, toPrincipal(as));
    return this;
  }

  /**
   * From now on it is asked for again.
   * @throws SignalboxError `UnknownMemory`
   */
  async forget(key: string, options: { readonly reason?: string; readonly as?: Actor } = {}): Promise<this> {
    const { as, ...more } = options;
    await forgetMemory(this.#engine, this.#place, { key, ...more }, toPrincipal(as));
    return this;
  }
}
