import { isSignalboxError } from '../error/error.ts';
import { parseStrictJson } from '../json/strict-json.ts';
import type { JsonValue } from '../json/value.ts';
import type { Passage, Stop } from './passage.ts';

const BLANK = /^\s*$/;

/**
 * The stage `parse`: the raw text by the one strict reader. No text at all is what some models send for a call without
 * arguments; it is read as `{}`, and a required argument is then missing like any other.
 */
export function readArguments(passage: Passage): { readonly value: JsonValue } | Stop {
  const text = passage.call.arguments;
  if (BLANK.test(text)) {
    const changes = [{ pointer: '', rule: 'emptyAsObject' }];
    passage.stages.push({ stage: 'parse', outcome: 'changed', in: text, out: {}, changes });
    return { value: {} };
  }
  try {
    const value = parseStrictJson(text);
    passage.pass('parse');
    return { value };
  } catch (error) {
    if (!isSignalboxError(error) || error.code !== 'InvalidJson') throw error;
    const message = `The arguments cannot be read. ${error.message} ${error.hint ?? 'Send one JSON object and nothing else.'}`;
    return passage.refuse('parse', { code: 'argumentsUnreadable', message });
  }
}
