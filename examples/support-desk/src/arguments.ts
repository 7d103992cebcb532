import { parseArgs } from 'node:util';
import { cleanMessage } from '@signalbox/example-shared';
import { isSignalboxError, parseStrictJson } from 'signalbox';

export const USAGE = `npm start                                     answers what is open, else asks for a message
npm start -- "Where is my parcel?"            takes this message
npm start -- --answer '{"queue":"billing"}'   answers the open question; with a message, what is asked about it
npm start -- --answer '…' --request req_…     the same when several are open`;

export interface DeskArguments {
  readonly message: string | undefined;
  /** Values of the form, checked when they are given as an answer. */
  readonly answer: ReturnType<typeof parseStrictJson> | undefined;
  readonly request: string | undefined;
  readonly help: boolean;
}

/** What was given at the start cannot be used. */
export class UsageError extends Error {}

/** @throws UsageError */
export function readArguments(args: readonly string[]): DeskArguments {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { answer: { type: 'string' }, request: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    });
    const message = cleanMessage(positionals.join(' '));
    return {
      message: message === '' ? undefined : message,
      answer: values.answer === undefined ? undefined : parseStrictJson(values.answer),
      request: values.request,
      help: values.help === true,
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(isSignalboxError(error) ? `--answer is no JSON: ${reason}` : reason);
  }
}
