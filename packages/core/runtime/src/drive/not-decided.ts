import {
  type CommandBody,
  type Decision,
  type ErrorData,
  isSignalboxError,
  type Run,
  SignalboxError,
  type TaskEnd,
} from '@signalbox/kernel';
import { errorDataOf } from '../journal/error-data.ts';

/** A command that the kernel could not decide, or a report that it refused: the draft it was decided on is void. */
export class NotDecided extends Error {
  readonly thrown: unknown;

  constructor(thrown: unknown) {
    super('A command could not be decided.');
    this.thrown = thrown;
  }
}

/** What whoever sent such a command from outside is told. */
export function rejectionOf(body: CommandBody, thrown: unknown): SignalboxError {
  if (isSignalboxError(thrown)) return thrown;
  const { message } = errorDataOf(thrown);
  return new SignalboxError('InvalidCommand', `The command "${body.type}" cannot be carried out: ${message}`, {
    cause: thrown,
  });
}

/**
 * What is recorded in place of a report that could not be decided: no report of a driver is dropped, since the node
 * would be executed again and report the same. Undefined of what is no report, or stands in for one already.
 */
export function failureInstead(body: CommandBody, thrown: unknown): CommandBody | undefined {
  switch (body.type) {
    case 'report':
    case 'doubt': {
      const { term, token, node, visit } = body;
      if (body.type === 'report' && isInternal(body.end)) return undefined;
      const error = internal(`What "${node}" reported cannot be recorded`, thrown);
      return { type: 'report', term, token, node, visit, ops: [], end: { type: 'failed', error } };
    }
    case 'compensated': {
      const { term, ref } = body;
      if (body.error?.code === 'Internal') return undefined;
      return {
        type: 'compensated',
        term,
        ref,
        error: internal(`What the compensation of "${ref.node}" reported cannot be recorded`, thrown),
      };
    }
    default:
      return undefined;
  }
}

/** Its node stands as it stood, although the report says how it ended: it would be executed again, without end. */
export function isUnmoved(run: Run, body: CommandBody, { events }: Decision): boolean {
  if (body.type !== 'report' || body.end === undefined || body.end.type === 'suspended') return false;
  const at = run.tokens.get(body.token)?.at;
  if (at?.kind !== 'node' || at.node !== body.node || at.visit !== body.visit || at.status !== 'running') return false;
  return !ENDED.has(run.status) && !events.some(({ type }) => type.startsWith('node.'));
}

const ENDED: ReadonlySet<Run['status']> = new Set(['completed', 'failed', 'cancelled']);

function isInternal(end: TaskEnd | undefined): boolean {
  return end?.type === 'failed' && end.error.code === 'Internal';
}

function internal(what: string, thrown: unknown): ErrorData {
  const { code, message } = errorDataOf(thrown);
  return { code: 'Internal', message: `${what} (${code}): ${message}`.slice(0, 4_000), permanent: true };
}
