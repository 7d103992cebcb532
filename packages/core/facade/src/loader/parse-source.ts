import { isSignalboxError, parseStrictJson } from '@signalbox/kernel';
import type { PlacedFault } from './located-fault.ts';
import { type ParsedSource, readYaml } from './read-yaml.ts';

export type TextFormat = 'yaml' | 'json';

const MAX_LENGTH = 8 * 1024 * 1024;

/** Reads a text into values with places. JSON passes the strict reader first; the places come from the YAML parser, whose language holds it. */
export function parseSource(text: string, format: TextFormat): ParsedSource {
  if (text.length > MAX_LENGTH) {
    return { faults: [error('TooLarge', 0, `The text is longer than ${MAX_LENGTH} characters.`)] };
  }
  return format === 'json' ? parseJson(text) : readYaml(text);
}

/** Refusals after which the rest of the text can still be read, so that all of them are told at once. */
const LOCAL: ReadonlyMap<string, string> = new Map([
  ['duplicateKey', 'DuplicateKey'],
  ['dangerousKey', 'DangerousKey'],
  ['integerTooLarge', 'InvalidNumber'],
  ['numberTooLarge', 'InvalidNumber'],
  ['numberTooSmall', 'InvalidNumber'],
  ['nul', 'InvalidText'],
  ['loneSurrogate', 'InvalidText'],
]);
const GLOBAL: ReadonlyMap<string, string> = new Map([
  ['tooDeep', 'TooDeep'],
  ['tooLarge', 'TooLarge'],
]);

function parseJson(text: string): ParsedSource {
  const refusal = refusalOf(text);
  if (refusal === undefined) return readYaml(text);
  if (!LOCAL.has(refusal.reason)) return { faults: [refusal.fault] };
  const read = readYaml(text);
  return read.faults.length > 0 ? read : { ...read, faults: [refusal.fault] };
}

function refusalOf(text: string): { reason: string; fault: PlacedFault } | undefined {
  try {
    parseStrictJson(text);
    return undefined;
  } catch (thrown) {
    if (!isSignalboxError(thrown)) throw thrown;
    const { offset, pointer } = thrown.details;
    const reason = String(thrown.details.reason);
    const code = LOCAL.get(reason) ?? GLOBAL.get(reason) ?? 'InvalidJson';
    const fault = error(code, Number(offset), thrown.message, thrown.hint);
    return { reason, fault: { ...fault, pointer: String(pointer) } };
  }
}

function error(code: string, at: number, message: string, hint?: string): PlacedFault {
  return { code, severity: 'error', pointer: '', at, message, ...(hint === undefined ? {} : { hint }) };
}
