import type { JsonValue } from '@signalbox/kernel';

/** What was said once in a conversation, as its state keeps it. No interface, so that it is a `JsonValue`. */
export type Turn = {
  /** From 1. */
  readonly turn: number;
  /** A speaker's name, or `person`. */
  readonly speaker: string;
  readonly content: JsonValue;
};

/** Who speaks when somebody from outside steps in. No speaker has this name. */
export const PERSON = 'person';

/** The words of a content: itself where it is a text, else all texts in it, in order. */
export function textOf(content: JsonValue): string {
  if (typeof content === 'string') return content;
  if (typeof content !== 'object' || content === null) return '';
  return Object.values(content).map(textOf).filter(Boolean).join('\n');
}

/** Whatever a reader may take for the end of a line. */
const LINE_END = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/g;

/**
 * The conversation as a block of text for a prompt, the newest `last` turns of it. Each begins a line, and what goes on over
 * several is set in, so that nothing that is said can pass for a turn of somebody else.
 */
export function transcript(turns: readonly Turn[], { last = 50 }: { readonly last?: number } = {}): string {
  const written = (content: JsonValue) =>
    (typeof content === 'string' ? content : JSON.stringify(content)).replaceAll(LINE_END, '\n   ');
  return turns
    .slice(Math.max(0, turns.length - last))
    .map(({ turn, speaker, content }) => `${turn}. ${speaker}: ${written(content)}`)
    .join('\n');
}
