import type { ModelRequest } from '@signalbox/ports';
import { estimateTokenCount } from 'tokenx';

/** As a tokenizer library counts; a model's own may differ by some percent. */
export function countTokens(text: string): number {
  return text === '' ? 0 : estimateTokenCount(text);
}

/** Every call of a conversation tells again what was told before: what its parts count is looked up. */
const counted = new WeakMap<object, number>();

export function countRequest({ system = '', messages, tools = [] }: ModelRequest): number {
  let tokens = countTokens(system);
  for (const message of messages) tokens += countPart(message);
  for (const { input, ...tool } of tools) tokens += countTokens(JSON.stringify(tool)) + countPart(input);
  return tokens;
}

function countPart(part: object): number {
  const tokens = counted.get(part) ?? countTokens(JSON.stringify(part));
  counted.set(part, tokens);
  return tokens;
}
