import { SignalboxError } from '../../error/error.ts';
import type { Principal } from '../../event/commit.ts';
import { isSamePerson } from '../../event/principal.ts';
import type { AnswerEntry } from '../../event/run-event.ts';
import type { CompiledRequest } from '../../graph/program.ts';
import { digestOf } from '../../json/digest.ts';
import { quorumOf } from '../../request/approval.ts';
import { notEntitled } from '../../request/entitlement.ts';
import { acceptanceOf, hasEndorsed, lacking } from '../../request/quorum.ts';
import { commitTime } from '../../time/commit-time.ts';
import { answerOutput } from '../answer-output.ts';
import { askedOf } from '../asked.ts';
import type { Roles } from '../command.ts';
import type { Endorsement, RequestState } from '../request-state.ts';
import { findRequest } from '../run.ts';
import { claimedByAnother } from './claims.ts';
import type { Decider } from './decider.ts';
import { settleDoubt } from './doubt.ts';
import { goOnWith } from './go-on-with.ts';
import { type AnswerCommand, readAnswer } from './read-answer.ts';
import { remember } from './remember.ts';
import { requestOf } from './request-of.ts';
import { restart } from './restart.ts';
import { settleLimit } from './settle-limit.ts';
import { closedError, targetOf } from './target.ts';

/** Accepts the one answer of a request, or records why it was refused and throws. */
export function answer(d: Decider, command: AnswerCommand): void {
  refuseForgotten(d, command);
  const request = targetOf(d, command.request);
  if (isSameAgain(request, command, d.actor)) return;
  if (request.status !== 'open') refuse(d, request, closedError(request));
  const compiled = requestOf(d.program, d.run, request);
  const kept = mayNotAnswer(d, request, compiled, command.roles);
  if (kept !== undefined) refuse(d, request, kept);
  const given = readAnswer(d, request, compiled, command);
  if (given instanceof SignalboxError) refuse(d, request, given);
  const { key } = command;
  const sent = key === undefined ? {} : { key, digest: contentDigest(command) };
  const entry = { ...given, by: d.actor, at: commitTime(d.at) };
  const accepted = isOneOfSeveral(request, compiled, entry)
    ? endorse(d, request, compiled, { ...entry, ...sent })
    : entry;
  if (accepted === undefined) return;
  d.emit('request.answered', { request: request.id, ...accepted, ...sent });
  remember(d, request, compiled, accepted);
  accept(d, request, compiled, accepted);
}

function mayNotAnswer(
  d: Decider,
  request: RequestState,
  compiled: CompiledRequest,
  roles: Roles | undefined,
): SignalboxError | undefined {
  const kept = notEntitled({ by: d.actor, roles }, askedOf(d.run, request, compiled));
  if (kept !== undefined) return kept;
  if (request.claim !== undefined && !isSamePerson(request.claim.by, d.actor)) return claimedByAnother(request.claim);
  return undefined;
}

/** What is changed where a subject was to be approved is another thing, and is asked for anew by whoever asked. */
function isOneOfSeveral({ subject }: RequestState, { definition }: CompiledRequest, { action }: AnswerEntry): boolean {
  if (quorumOf(definition) === 1) return false;
  return action === 'approve' || (action === 'edit' && subject === undefined);
}

/** One approval of several; the acceptance that they come to together, once there are enough. */
function endorse(
  d: Decider,
  request: RequestState,
  { definition }: CompiledRequest,
  endorsement: Endorsement,
): AnswerEntry | undefined {
  if (d.actor.kind === 'system')
    refuse(d, request, new SignalboxError('NotEntitled', 'The system is nobody who could approve with others.'));
  if (endorsement.action === 'approve' && hasEndorsed(request.endorsements, d.actor))
    refuse(
      d,
      request,
      new SignalboxError('AlreadyEndorsed', 'You have approved this already; somebody else has to as well.'),
    );
  d.emit('request.endorsed', { request: request.id, ...endorsement });
  const { endorsements = [] } = d.run.requests.get(request.id)!;
  return lacking(quorumOf(definition), endorsements) > 0 ? undefined : acceptanceOf(endorsements);
}

/** The same key with the same content of the same person gets the outcome that stands: nothing happens again. */
function isSameAgain(
  { key, digest, answer, endorsements = [] }: RequestState,
  command: AnswerCommand,
  actor: Principal,
): boolean {
  if (command.key === undefined) return false;
  const content = contentDigest(command);
  const sent = [...(answer === undefined ? [] : [{ key, digest, by: answer.by }]), ...endorsements];
  return sent.some(one => one.key === command.key && one.digest === content && isSamePerson(one.by, actor));
}

function contentDigest({ action, values, note, subject }: AnswerCommand): string {
  return digestOf({
    action: action ?? null,
    note: note ?? null,
    ...(values === undefined ? {} : { values }),
    ...(subject === undefined ? {} : { subject }),
  });
}

/** Closed so long ago that only the store still tells of it. */
function refuseForgotten(d: Decider, { request: id, closed: status }: AnswerCommand): void {
  if (id === undefined || status === undefined || findRequest(d.run, id) !== undefined) return;
  refuse(d, { id }, closedError({ id, status }));
}

/** A refusal is a fact of its own; the question stays as it was. */
function refuse(d: Decider, request: Pick<RequestState, 'id'>, error: SignalboxError): never {
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
  if (request.about === 'limit') return settleLimit(d, request, entry);
  if (request.about !== 'ask' || !d.isAt(request)) return;
  carryOn(d, request, compiled, entry);
}

/** What an answer leads to. */
export function carryOn(d: Decider, request: RequestState, compiled: CompiledRequest, entry: AnswerEntry): void {
  const resume = compiled.definition.resume;
  if (resume?.mode === 'restart' && (entry.action === 'approve' || entry.action === 'edit'))
    return restart(d, request, compiled, entry);
  goOnWith(d, request, answerOutput(entry), entry.action);
}
