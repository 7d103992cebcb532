import { isSignalboxError, parseStrictJson } from '@signalbox/kernel';

/** Models put JSON into a fence even where they are told not to. */
const FENCED = /^\s*```(?:json)?[ \t]*\r?\n([\s\S]*?)\r?\n```\s*$/i;

/** The JSON in a text that is nothing but a fence around it; any other text as it is. */
export function unfenced(text: string): string {
  const inside = FENCED.exec(text)?.[1];
  return inside !== undefined && isJson(inside) ? inside : text;
}

function isJson(text: string): boolean {
  try {
    parseStrictJson(text);
    return true;
  } catch (error) {
    if (isSignalboxError(error)) return false;
    throw error;
  }
}
