import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import {
  isJsonObject,
  isSignalboxError,
  type JsonObject,
  type JsonValue,
  parseStrictJson,
  SignalboxError,
} from '@signalbox/kernel';
import type { Cli } from './cli.ts';

/**
 * JSON given as `JSON`, `@FILE` or `@-` (standard input), through the strict reader.
 *
 * @throws SignalboxError `InvalidJson`, `UnknownFile`
 */
export async function readJsonArgument(cli: Cli, option: string, given: string): Promise<JsonValue> {
  const text = given.startsWith('@') ? await readSource(cli, given.slice(1)) : given;
  try {
    return parseStrictJson(text.replace(/^\ufeff/, ''));
  } catch (error) {
    if (!isSignalboxError(error)) throw error;
    throw new SignalboxError(error.code, `${option}: ${error.message}`, {
      hint: error.hint ?? `Write ${option} 'JSON', ${option} @FILE or ${option} @- for standard input.`,
      details: error.details,
    });
  }
}

export async function readObjectArgument(cli: Cli, option: string, given: string): Promise<JsonObject> {
  const value = await readJsonArgument(cli, option, given);
  if (isJsonObject(value)) return value;
  throw new SignalboxError('InvalidValue', `${option} takes an object.`, { hint: `Write ${option} '{"name": …}'.` });
}

/** The text of a file, or of standard input, which is `-`. @throws SignalboxError `UnknownFile` */
export async function readSource({ io }: Cli, name: string): Promise<string> {
  if (name === '-') return await readAll(io.stdin as NodeJS.ReadableStream as never);
  try {
    return await readFile(resolve(io.cwd, name), 'utf8');
  } catch (error) {
    const { code } = error as { readonly code?: string };
    throw new SignalboxError('UnknownFile', `${name} cannot be read (${code ?? String(error)}).`, {
      hint: 'Check the path; it is relative to the working folder.',
      details: { file: name },
    });
  }
}

/** A whole number from 1. @throws SignalboxError `InvalidValue` */
export function readSeq(option: string, given: string): number {
  if (/^[1-9]\d{0,14}$/.test(given)) return Number(given);
  throw new SignalboxError('InvalidValue', `${option} takes a whole number from 1, not ${JSON.stringify(given)}.`);
}
