import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { SignalboxError } from '@signalbox/kernel';
import type { KeyRing } from '@signalbox/ports';
import { createKeyRing, KEY_LENGTH } from './key-ring.ts';

/** Keys in base64, the present one first, those before it behind, apart by commas or lines. */
export const KEY_VARIABLE = 'SIGNALBOX_KEY';

/** Where the keys of a database are when nothing else is said: beside it. */
export function keyFileOf(path: string): string {
  return `${path}.key`;
}

/**
 * The keys of `SIGNALBOX_KEY`; without it those in a file that only its owner may read, which is made when a sensitive
 * value is first kept.
 */
export function localKeys(path: string, given: string | undefined = process.env[KEY_VARIABLE]): KeyRing {
  return createKeyRing(() =>
    given === undefined || given.trim() === '' ? keysOfFile(path) : readKeys(given, KEY_VARIABLE),
  );
}

/** The keys of `SIGNALBOX_KEY` and no others. */
export function keysOfEnvironment(): KeyRing {
  return createKeyRing(() => readKeys(process.env[KEY_VARIABLE] ?? '', KEY_VARIABLE));
}

/** Keys that end with this process: for a store in memory. */
export function passingKeys(): KeyRing {
  const key = randomBytes(KEY_LENGTH);
  return createKeyRing(() => [key]);
}

function keysOfFile(path: string): Uint8Array[] {
  mkdirSync(dirname(path), { recursive: true });
  try {
    writeFileSync(path, `${randomBytes(KEY_LENGTH).toString('base64')}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  return readKeys(readFileSync(path, 'utf8'), path);
}

function readKeys(text: string, where: string): Uint8Array[] {
  const keys = text.split(/[\s,]+/).filter(part => part !== '');
  return keys.map(part => {
    const key = Buffer.from(part, 'base64');
    if (key.length !== KEY_LENGTH) throw invalidKey(where);
    return key;
  });
}

/** What is there is not repeated: it may be a key. */
function invalidKey(where: string): SignalboxError {
  return new SignalboxError('InvalidKey', `${where} holds something that is no key.`, {
    hint: `A key is ${KEY_LENGTH} bytes in base64, as \`openssl rand -base64 ${KEY_LENGTH}\` makes one.`,
    details: { where },
  });
}
