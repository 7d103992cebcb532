import { SignalboxError } from '../../error/error.ts';
import type { Principal } from '../../event/commit.ts';
import { mayAnswer } from '../../event/principal.ts';
import type { AnswerEntry, NodeRef } from '../../event/run-event.ts';
import type { CompiledRequest } from '../../graph/program.ts';
import { digestOf } from '../../json/digest.ts';
import { commitTime } from '../../time/commit-time.ts';
import { answerOutput } from '../answer-output.ts';
import type { RequestState } from '../request-state.ts';
import { findRequest } from '../run.ts';
import { type Decider, refOf } from './decider.ts';
import { settleDoubt } from './doubt.ts';
import { succeed } from './finish.ts';
import { type AnswerCommand, readAnswer } from './read-answer.ts';
import { requestOf } from './request-of.ts';
import { restart } from './restart.ts';
import { memberOf, resolveOp } from './waits.ts';

/** The request an answer is for. One that names the run alone is taken when exactly one is open. */
export function targetOf(d: Decider, command: AnswerCommand): RequestState {
  const open = [...d.run.requests.values()];
  if (command.request === undefined) {
    if (open.length === 1) return open[0]!;
    throw new SignalboxError(
      'AmbiguousTarget',
      `The run has ${open.length} open questions, and the answer names none.`,
      {
        hint:
          open.length === 0
            ? 'Nothing is asked of you.'
            : `Name one of: ${open.map(request => request.id).join(', ')}.`,
        details: { open: open.map(request => request.id) },
      },
    );
  }
  const request = findRequest(d.run, command.request);
  if (request === undefined)
    throw new SignalboxError('UnknownRequest', `The run has no request "${command.request}".`, {
      hint: 'See `signalbox inbox`.',
    });
  return request;
}

/** Accepts the one answer of a request, or records why it was refused and throws. */
export function answer(d: Decider, command: AnswerCommand): void {
  const request = targetOf(d, command);
  if (isSameAgain(request, command)) return;
  if (request.status !== 'open') refuse(d, request, closedError(request));
  if (!mayAnswer(d.actor)) refuse(d, request, notEntitled(d.actor));
  const compiled = requestOf(d.program, d.run, request);
  const given = readAnswer(d, request, compiled, command);
  if (given instanceof SignalboxError) refuse(d, request, given);
  const entry = { ...given, by: d.actor, at: commitTime(d.at) };
  const { key } = command;
  d.emit('request.answered', {
    request: request.id,
    ...entry,
    ...(key === undefined ? {} : { key, digest: contentDigest(command) }),
  });
  accept(d, request, compiled, entry);
}

function notEntitled({ kind, onBehalfOf }: Principal): SignalboxError {
  const whose = onBehalfOf === undefined ? '' : ` on behalf of ${onBehalfOf}`;
  return new SignalboxError('NotEntitled', `A ${kind}${whose} can never answer a request.`);
}

/** The same key with the same content gets the outcome that stands: nothing happens again. */
function isSameAgain(request: RequestState, command: AnswerCommand): boolean {
  return command.key !== undefined && request.key === command.key && request.digest === contentDigest(command);
}

function contentDigest({ action, values, note, subject }: AnswerCommand): string {
  return digestOf({
    action: action ?? null,
    note: note ?? null,
    ...(values === undefined ? {} : { values }),
    ...(subject === undefined ? {} : { subject }),
  });
}

function closedError(request: RequestState): SignalboxError {
  const details = { request: request.id, status: request.status };
  switch (request.status) {
    case 'expired':
      return new SignalboxError('RequestExpired', 'The deadline of this request has passed.', { details });
    case 'answered':
      return new SignalboxError('AlreadyAnswered', 'This request is answered already; the first answer stands.', {
        details,
      });
    default:
      return new SignalboxError(
        'RequestClosed',
        `This request is ${request.status}; an answer changes nothing any more.`,
        { details },
      );
  }
}

/** A refusal is a fact of its own; the question stays as it was. */
function refuse(d: Decider, request: RequestState, error: SignalboxError): never {
  const issues = Array.isArray(error.details.issues)
    ? (error.details.issues as unknown as { pointer: string; code: string; message: string }[])
    : undefined;
  d.emit('request.refused', {
    request: request.id,
    by: d.actor,
    code: error.code,
    ...(issues === undefined ? {} : { issues }),
  });
  throw error;
}

function accept(d: Decider, request: RequestState, compiled: CompiledRequest, entry: AnswerEntry): void {
  if (request.about === 'doubt') return settleDoubt(d, request, entry);
  if (request.about !== 'ask' || !d.isAt(request)) return;
  carryOn(d, request, compiled, entry);
}

/** What an answer leads to. In a parked scope it is recorded all the same; `settle` lets nothing start there. */
export function carryOn(d: Decider, request: RequestState, compiled: CompiledRequest, entry: AnswerEntry): void {
  const ref: NodeRef = refOf(request);
  const resume = compiled.definition.resume;
  if (resume?.mode === 'restart' && (entry.action === 'approve' || entry.action === 'edit'))
    return restart(d, request, compiled, entry);
  const node = d.node(d.token(request.token), request.node);
  const output = answerOutput(entry);
  if (node.definition.type === 'ask') return succeed(d, ref, { output, outcome: entry.action });
  const at = d.token(request.token).at;
  const record = at.kind === 'node' ? at.journal.get(request.op) : undefined;
  if (record?.first === undefined) return;
  resolveOp(
    d,
    ref,
    request.op,
    output,
    memberOf(record, wait => wait.request === request.id),
  );
}
