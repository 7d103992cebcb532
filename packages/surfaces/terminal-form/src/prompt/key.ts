import type { KeypressEvent } from '@inquirer/core';

/** A key as pressed, or one character of what an input method or the clipboard has written. */
export interface Key {
  /** `return`, `up`, `backspace`, `a` …; undefined for characters that have no name, such as 中. */
  readonly name: string | undefined;
  readonly ctrl: boolean;
  readonly meta: boolean;
  /** What it types; '' where it types nothing. */
  readonly text: string;
}

/** What Node gives beyond what the library declares of it. */
type NodeKey = KeypressEvent & { readonly sequence?: string; readonly meta?: boolean };

const CONTROL = /\p{Cc}/u;

export function toKey(event: KeypressEvent): Key {
  const { name, ctrl, meta = false, sequence = '' } = event as NodeKey;
  const types = !ctrl && !meta && !CONTROL.test(sequence);
  return { name, ctrl, meta, text: types ? sequence : '' };
}

/** `\r` of the Enter key, `\n` of pasted lines. */
export function isEnter({ name, ctrl }: Key): boolean {
  return !ctrl && (name === 'return' || name === 'enter');
}

export function isCtrl(key: Key, letter: string): boolean {
  return key.ctrl && key.name === letter;
}
