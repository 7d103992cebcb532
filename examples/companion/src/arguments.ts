import { parseArgs } from 'node:util';
import { cleanMessage } from '@signalbox/example-shared';
import { isSignalboxError, parseStrictJson } from 'signalbox';

export const USAGE = `npm run companion                                        a conversation
npm run companion -- "Recommend me some music"           one message
npm run companion -- --answer '{"choice":"jazz"}'        answers the open question; with --request req_… one of several
npm run companion -- --action reject                     declines it; approve where an approval is asked for
npm run companion -- --user ada                          whose conversation it is; default the user of the machine`;

const ACTIONS = ['approve', 'reject', 'cancel'] as const;
export type AnswerAction = (typeof ACTIONS)[number];

export interface CompanionArguments {
  readonly message: string | undefined;
  /** Values of a form, checked when they are given as an answer. */
  readonly answer: ReturnType<typeof parseStrictJson> | undefined;
  readonly action: AnswerAction | undefined;
  readonly request: string | undefined;
  readonly user: string | undefined;
  readonly help: boolean;
}

/** What was given at the start cannot be used. */
export class UsageError extends Error {}

/** @throws UsageError */
export function readArguments(args: readonly string[]): CompanionArguments {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        answer: { type: 'string' },
        action: { type: 'string' },
        request: { type: 'string' },
        user: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
    const message = cleanMessage(positionals.join(' '));
    return {
      message: message === '' ? undefined : message,
      answer: values.answer === undefined ? undefined : parseStrictJson(values.answer),
      action: readAction(values.action),
      request: values.request,
      user: readUser(values.user),
      help: values.help === true,
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(isSignalboxError(error) ? `--answer is no JSON: ${reason}` : reason);
  }
}

function readAction(given: string | undefined): AnswerAction | undefined {
  const action = ACTIONS.find(each => each === given);
  if (given !== undefined && action === undefined)
    throw new UsageError(`--action is one of ${ACTIONS.join(', ')}, not "${given}".`);
  return action;
}

/** A name is part of the id of a session. */
function readUser(given: string | undefined): string | undefined {
  if (given !== undefined && !/^[A-Za-z0-9-]{1,32}$/.test(given))
    throw new UsageError('--user takes up to 32 letters, digits and hyphens.');
  return given;
}
