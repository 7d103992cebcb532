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

/** The conversation as a block of text for a prompt: one turn a line, the newest `last` of them. */
export function transcript(turns: readonly Turn[], { last = 50 }: { readonly last?: number } = {}): string {
  const written = (content: JsonValue) => (typeof content === 'string' ? content : JSON.stringify(content));
  return turns
    .slice(Math.max(0, turns.length - last))
    .map(({ turn, speaker, content }) => `${turn}. ${speaker}: ${written(content)}`)
    .join('\n');
}
