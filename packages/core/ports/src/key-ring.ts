/**
 * Keys of tenants, under which the keys of runs are kept.
 *  1. What `wrap` gives names the key it was made with, so that `unwrap` finds it again after another has taken its place.
 *  2. `wrap` is asked while a commit is put together and answers at once: a ring whose keys are in a service fetches a
 *     tenant's key when it is opened. `unwrap` is asked when a run is loaded and may take its time.
 *  3. Neither gives the key of a tenant away.
 */
export interface KeyRing {
  /** @throws SignalboxError `KeyMissing` when there is no key to wrap with. */
  wrap(tenant: string, key: Uint8Array): string;
  /** @throws SignalboxError `KeyMissing` for what was wrapped with a key that is not here, or of another tenant's. */
  unwrap(tenant: string, wrapped: string): Uint8Array | Promise<Uint8Array>;
  /** Whether it is wrapped with the key that `wrap` uses now. Without it nobody can tell, and what is wrapped anew is all of it. */
  isPresent?(tenant: string, wrapped: string): boolean;
}
