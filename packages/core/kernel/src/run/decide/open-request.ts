import type { ErrorData, NodeRef, RunEvents } from '../../event/run-event.ts';
import type { CompiledRequest } from '../../graph/program.ts';
import { digestOf } from '../../json/digest.ts';
import type { JsonObject } from '../../json/value.ts';
import { reminderTimes } from '../../request/reminders.ts';
import { parseInstant } from '../../time/instant.ts';
import type { Bindings } from './bindings.ts';
import { questionsInARow } from './chain.ts';
import { offerToService } from './claims.ts';
import { type Decider, errorData, refOf } from './decider.ts';
import { fillRequest } from './fill-request.ts';
import { fail } from './finish.ts';
import { nextRequestId, questionId } from './request-id.ts';

export interface Asking {
  readonly op: string;
  readonly compiled: CompiledRequest;
  readonly see: Bindings;
  /** The question is the node's own, so the event need not repeat the definition. */
  readonly ofNode: boolean;
  readonly digest?: string;
  readonly grants?: 'call' | undefined;
  readonly about?: 'doubt' | 'compensation' | 'limit';
  /** Tells several questions of one operation apart (members of a first-of). */
  readonly member?: string;
  /** Where it is known before. */
  readonly id?: string;
}

/** Opens a question, or fails the node when it cannot be put. Returns its id when it is open. */
export function openRequest(d: Decider, ref: NodeRef, asking: Asking): string | undefined {
  const refused = asking.about === undefined ? mayNotAsk(d, ref, asking.compiled) : undefined;
  const put = refused === undefined ? questionOf(d, ref, asking) : { error: refused };
  if ('error' in put) {
    fail(d, ref, put.error);
    return undefined;
  }
  d.emit('request.opened', put);
  offerToService(d, put.request);
  return put.request;
}

/** What the engine itself has to ask is asked in any case. */
function mayNotAsk(d: Decider, ref: NodeRef, compiled: CompiledRequest): ErrorData | undefined {
  if (d.run.decisions === 'off')
    return permanent('DecisionsOff', `"${titleOf(compiled)}" would have to be asked, but this run may not ask.`);
  const { maxChain } = d.graphOf(d.token(ref.token)).limits;
  if (questionsInARow(d, ref) < maxChain) return undefined;
  d.emit('limit.reached', { ...refOf(ref), limit: 'maxChain', value: maxChain });
  return permanent('LimitReached', `Limit maxChain = ${maxChain} is reached: so many questions in a row.`);
}

type Opened = RunEvents['request.opened'];

/** The question as it is put: what the state gave is in it. */
function questionOf(d: Decider, ref: NodeRef, asking: Asking): Opened | { readonly error: ErrorData } {
  const { compiled, see, ofNode, digest, about } = asking;
  const { definition } = compiled;
  const { zone } = d.graphOf(d.token(ref.token));
  const filled = fillRequest(compiled, see, zone);
  if ('error' in filled) return filled;
  const deadline = deadlineOf(d, compiled, see, zone);
  if (typeof deadline === 'object') return deadline;
  const idOf = about === undefined ? questionId : nextRequestId;
  const stored = storedParts(asking, filled.values);
  const subject = filled.values.subject ?? definition.subject;
  const reminders = reminderTimes(compiled.reminders, d.at, deadline);
  return {
    ...refOf(ref),
    op: asking.op,
    request: asking.id ?? idOf(d.run, ref, asking.op, asking.member),
    kind: definition.kind,
    ...(digest === undefined ? {} : { digest }),
    ...(ofNode ? {} : { definition }),
    ...(Object.keys(stored).length === 0 ? {} : { filled: stored }),
    ...(ofNode && definition.assignees !== undefined ? { assignees: definition.assignees } : {}),
    ...(deadline === undefined ? {} : { deadline }),
    ...(about === undefined ? {} : { about }),
    ...(subject === undefined ? {} : { subject: digestOf(subject) }),
    ...(reminders.length === 0 ? {} : { reminders }),
    ...(definition.hold === 'run' ? { hold: 'run' as const } : {}),
    ...(asking.grants === undefined ? {} : { grants: asking.grants }),
  };
}

/** The title of a node's own question is kept as well: lists show it without the definition. */
function storedParts({ compiled: { definition }, ofNode }: Asking, filled: JsonObject): JsonObject {
  if (!ofNode || typeof definition.title !== 'string') return filled;
  return { ...filled, title: definition.title };
}

function titleOf(compiled: CompiledRequest): string {
  return typeof compiled.definition.title === 'string' ? compiled.definition.title : 'a question';
}

function deadlineOf(
  d: Decider,
  compiled: CompiledRequest,
  see: Bindings,
  zone: string,
): number | undefined | { readonly error: ErrorData } {
  if (compiled.deadlineAfter !== undefined) return d.at + compiled.deadlineAfter;
  if (compiled.deadlineAt === undefined) return undefined;
  const filled = compiled.deadlineAt.fill(see);
  if (!filled.ok)
    return { error: permanent('ConditionError', `The request's deadline cannot be evaluated: ${filled.reason}.`) };
  try {
    return parseInstant(String(filled.value), zone);
  } catch (error) {
    return { error: permanent('ConditionError', error instanceof Error ? error.message : String(error)) };
  }
}

function permanent(code: string, message: string): ErrorData {
  return errorData(code, message, { permanent: true });
}
