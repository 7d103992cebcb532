import { isSignalboxError } from '../error/error.ts';
import { parseStrictJson } from '../json/strict-json.ts';
import type { JsonValue } from '../json/value.ts';
import { MASK } from '../schema/mask.ts';
import type { Passage, Stop } from './passage.ts';
import { hasParts } from './sensitive-parts.ts';

const BLANK = /^\s*$/;

/**
 * The stage `parse`: the raw text by the one strict reader. No text at all is what some models send for a call without
 * arguments; it is read as `{}`, and a required argument is then missing like any other.
 */
export function readArguments(passage: Passage): { readonly value: JsonValue } | Stop {
  const text = passage.call.arguments;
  const came = { stage: 'parse', in: shown(passage) } as const;
  if (BLANK.test(text)) {
    const changes = [{ pointer: '', rule: 'emptyAsObject' }];
    passage.stages.push({ ...came, outcome: 'changed', out: {}, changes });
    return { value: {} };
  }
  try {
    const value = parseStrictJson(text);
    passage.stages.push({ ...came, outcome: 'passed' });
    return { value };
  } catch (error) {
    if (!isSignalboxError(error) || error.code !== 'InvalidJson') throw error;
    const message = `The arguments cannot be read. ${error.message} ${error.hint ?? 'Send one JSON object and nothing else.'}`;
    passage.stages.push({ ...came, outcome: 'refused', reason: message, code: 'argumentsUnreadable' });
    return { code: 'argumentsUnreadable', message, retryable: true };
  }
}

/** The text as it came; whole or not at all, where something sensitive may stand in it. */
function shown({ contract, call }: Passage): string {
  const tool = contract.tools.get(call.tool);
  return tool !== undefined && hasParts(tool.sensitive) && !BLANK.test(call.arguments) ? MASK : call.arguments;
}
