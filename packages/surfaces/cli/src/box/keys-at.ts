import type { KeyRing } from '@signalbox/ports';
import { KEY_VARIABLE, keyFileOf, localKeys } from '@signalbox/runtime';
import type { Io } from '../io.ts';

/** Under which the sensitive values of the database at this path are kept. */
export function keysAt(path: string, env: Io['env']): KeyRing {
  return localKeys(keyFileOf(path), env[KEY_VARIABLE] ?? '');
}
