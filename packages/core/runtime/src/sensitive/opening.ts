import { isJsonObject, type JsonValue } from '@signalbox/kernel';
import type { EventStore, KeyRing } from '@signalbox/ports';
import { unreadable } from '../log/commit-codec.ts';
import { type DataKey, type RefPlace, readDataKey } from './data-key.ts';
import { decrypted, encrypted } from './key-ring.ts';
import { keyedDigest } from './keyed-digest.ts';
import { type Secret, Secrets } from './secrets.ts';

/** A value that is sealed, as its payload holds it: masked for whoever looks, encrypted for whoever goes on with it. */
export interface SealedValue {
  readonly masked: JsonValue;
  readonly sealed: string;
}

/** What is encrypted; `secrets`: what was learned to be sensitive since the last sealed value. */
interface Content {
  readonly value: JsonValue;
  readonly secrets?: readonly Secret[];
}

export function sealValue(key: DataKey, masked: JsonValue, value: JsonValue, secrets: readonly Secret[]): SealedValue {
  const content: Content = { value, ...(secrets.length === 0 ? {} : { secrets }) };
  return { masked, sealed: encrypted(key.bytes, Buffer.from(JSON.stringify(content)), key.digest) };
}

export function isSealedValue(value: JsonValue): value is SealedValue & { readonly [key: string]: JsonValue } {
  return isJsonObject(value) && typeof value.sealed === 'string' && value.masked !== undefined;
}

/** Whose payloads are read, and where. */
interface Owner {
  readonly store: EventStore;
  readonly tenant: string;
}

/** One reading of a log that may see what is sensitive, and what it learned by it. Without one a reading sees masks. */
export class Opening {
  readonly secrets = new Secrets();
  readonly #ring: KeyRing;
  readonly #keys = new Map<string, DataKey | undefined>();
  /** The last one met: what goes on sealing uses it. Undefined where it was dropped, or there is none yet. */
  #last: DataKey | undefined;

  constructor(ring: KeyRing) {
    this.#ring = ring;
  }

  /** Whether nothing sensitive was met. */
  get isUnused(): boolean {
    return this.#keys.size === 0;
  }

  get key(): DataKey | undefined {
    return this.#last;
  }

  /**
   * The key that a commit names; undefined where it was dropped.
   * @throws SignalboxError `KeyMissing`, `LogUnreadable`
   */
  async meet({ store, tenant }: Owner, digest: string, place: RefPlace): Promise<DataKey | undefined> {
    if (!this.#keys.has(digest))
      this.#keys.set(digest, await readDataKey({ store, tenant, ring: this.#ring }, digest, place));
    const key = this.#keys.get(digest);
    this.#last = key;
    if (key !== undefined) this.secrets.keyedBy(made => keyedDigest(key, made));
    return key;
  }

  /**
   * Undefined where the key was dropped.
   * @throws SignalboxError `KeyMissing`, `LogUnreadable`
   */
  async open(owner: Owner, sealed: SealedValue, digest: string, place: RefPlace): Promise<JsonValue | undefined> {
    const key = await this.meet(owner, digest, place);
    if (key === undefined) return undefined;
    const text = decrypted(key.bytes, sealed.sealed, key.digest);
    if (text === undefined)
      throw unreadable(place.stream, place.seq, 'what is sealed there does not open with its key');
    const { value, secrets = [] } = JSON.parse(text.toString()) as Content;
    this.secrets.know(secrets);
    return value;
  }
}
