import { isSignalboxError, parseStrictJson } from '@signalbox/kernel';
import type { ModelReply } from '@signalbox/ports';
import { brokenReply } from './failure.ts';
import type { Received } from './read-reply.ts';

/** Models put JSON into a fence even where they are told not to; nothing else around it is forgiven. */
const FENCED = /^\s*```(?:json)?[ \t]*\r?\n([\s\S]*?)\r?\n```\s*$/i;

/**
 * A reply that was to be JSON and ended of itself must be one JSON value by the strict reader. One that calls tools, was cut
 * at its length, was refused or filtered is what it is.
 */
export function asStructured(reply: Omit<ModelReply, 'attempts'>): Received {
  if (reply.finish !== 'stop') return { ok: true, reply };
  const text = FENCED.exec(reply.text)?.[1] ?? reply.text;
  try {
    parseStrictJson(text);
    return { ok: true, reply: { ...reply, text } };
  } catch (error) {
    if (!isSignalboxError(error)) throw error;
    const failure = brokenReply(`the reply was to be JSON. ${error.message} It reads: ${excerpt(reply.text)}`);
    return { ok: false, failure: { ...failure, whole: { text: reply.text, usage: reply.usage } } };
  }
}

function excerpt(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}
