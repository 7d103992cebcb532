import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { SignalboxError } from '@signalbox/kernel';
import type { KeyRing } from '@signalbox/ports';

/** Bytes of a key. */
export const KEY_LENGTH = 32;
const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;

/** AES-256-GCM as nonce, tag and ciphertext in base64. `bound`: what it belongs to; elsewhere it does not open. */
export function encrypted(key: Uint8Array, bytes: Uint8Array, bound: string): string {
  const nonce = randomBytes(NONCE_LENGTH);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(bound));
  const body = Buffer.concat([cipher.update(bytes), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64');
}

/** Undefined for what this key does not open. */
export function decrypted(key: Uint8Array, text: string, bound: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  const nonce = bytes.subarray(0, NONCE_LENGTH);
  const tag = bytes.subarray(NONCE_LENGTH, NONCE_LENGTH + TAG_LENGTH);
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_LENGTH });
    decipher.setAAD(Buffer.from(bound)).setAuthTag(tag);
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_LENGTH + TAG_LENGTH)), decipher.final()]);
  } catch {
    return undefined; // Another key, another tenant, or changed bytes: the caller says which.
  }
}

/**
 * A ring of keys that this process has. Each tenant has a key of its own, derived from each of them. The first wraps; the
 * others only unwrap what was wrapped before it came.
 *
 * @param load gives the keys when they are first needed, none when there is none.
 */
export function createKeyRing(load: () => readonly Uint8Array[]): KeyRing {
  let loaded: ReadonlyMap<string, Uint8Array> | undefined;
  const keys = () => {
    loaded ??= new Map(load().map(key => [nameOf(key), key]));
    return loaded;
  };
  return {
    wrap(tenant, key) {
      const [first] = keys();
      if (first === undefined) throw noKey();
      const [name, own] = first;
      return `${name}.${encrypted(tenantKey(own, tenant), key, tenant)}`;
    },
    unwrap(tenant, wrapped) {
      const [name = '', text = ''] = wrapped.split('.');
      const own = keys().get(name);
      const key = own === undefined ? undefined : decrypted(tenantKey(own, tenant), text, tenant);
      if (key === undefined)
        throw new SignalboxError('KeyMissing', `There is no key ${name} in this process that opens it.`, {
          hint: HINT,
        });
      return key;
    },
    isPresent(_tenant, wrapped) {
      const [present] = keys().keys();
      return present !== undefined && wrapped.startsWith(`${present}.`);
    },
  };
}

/** Says which key it was, and nothing of it. */
function nameOf(key: Uint8Array): string {
  return createHash('sha256').update('signalbox key').update(key).digest('hex').slice(0, 16);
}

function tenantKey(key: Uint8Array, tenant: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', key, '', `signalbox tenant ${tenant}`, KEY_LENGTH));
}

const HINT = 'Set SIGNALBOX_KEY to it, or put the key file back; keys that came before stand behind the present one.';

function noKey(): SignalboxError {
  return new SignalboxError('KeyMissing', 'There is no key to keep sensitive values under.', { hint: HINT });
}

/** @param cause says which of the keys of the tenant is wanted. */
export function keyMissing(stream: string, seq: number, cause: unknown): SignalboxError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new SignalboxError('KeyMissing', `What is sensitive in ${stream} at ${seq} cannot be read: ${reason}`, {
    hint: HINT,
    details: { stream, seq },
    cause,
  });
}
