import type { NodeRef } from '../../event/run-event.ts';
import type { CompiledRequest } from '../../graph/program.ts';
import { shortId } from '../../json/digest.ts';
import type { JsonValue } from '../../json/value.ts';
import { parseInstant } from '../../time/instant.ts';
import { globalKey } from '../keys.ts';
import { findRequest, type Run } from '../run.ts';
import { type Bindings, visibleAnswers } from './bindings.ts';
import { type Decider, errorData, refOf } from './decider.ts';
import { fail } from './finish.ts';

export interface Asking {
  readonly op: string;
  readonly compiled: CompiledRequest;
  readonly see: Bindings;
  /** The question is the node's own, so the event need not repeat the definition. */
  readonly ofNode: boolean;
  readonly digest?: string;
  readonly about?: 'doubt' | 'check' | 'compensation' | 'limit';
  /** Tells several questions of one operation apart (members of a first-of). */
  readonly member?: string;
}

/** Derived from the journal key: the same question has the same id after a crash. */
export function requestIdOf(run: Run, ref: NodeRef, op: string, member = ''): string {
  return shortId('req_', `${globalKey(run, ref, op)}/${member}`);
}

/** Opens a question, or fails the node when it cannot be put. Returns its id when it is open. */
export function openRequest(d: Decider, ref: NodeRef, asking: Asking): string | undefined {
  const { compiled, see, about } = asking;
  if (about === undefined && d.run.decisions === 'off') {
    fail(
      d,
      ref,
      errorData('DecisionsOff', `"${titleOf(compiled)}" would have to be asked, but this run may not ask.`, {
        permanent: true,
      }),
    );
    return undefined;
  }
  const chain = about === undefined ? questionsInARow(d, ref) : 0;
  const { maxChain } = d.graphOf(d.token(ref.token)).limits;
  if (chain >= maxChain) {
    d.emit('limit.reached', { ...refOf(ref), limit: 'maxChain', value: maxChain });
    fail(
      d,
      ref,
      errorData('LimitReached', `Limit maxChain = ${maxChain} is reached: so many questions in a row.`, {
        permanent: true,
      }),
    );
    return undefined;
  }
  const filled = fillTemplates(compiled, see);
  if ('error' in filled) {
    fail(d, ref, errorData('ConditionError', filled.error, { permanent: true }));
    return undefined;
  }
  const deadline = deadlineOf(d, compiled, see);
  if (typeof deadline === 'object') {
    fail(d, ref, errorData('ConditionError', deadline.error, { permanent: true }));
    return undefined;
  }
  const request = freshId(d.run, ref, asking);
  d.emit('request.opened', {
    ...refOf(ref),
    op: asking.op,
    request,
    kind: compiled.definition.kind,
    ...(asking.digest === undefined ? {} : { digest: asking.digest }),
    ...(asking.ofNode ? {} : { definition: compiled.definition }),
    ...(asking.ofNode && typeof compiled.definition.title === 'string' && filled.values.title === undefined
      ? { filled: { ...filled.values, title: compiled.definition.title } }
      : Object.keys(filled.values).length === 0
        ? {}
        : { filled: filled.values }),
    ...(asking.ofNode && compiled.definition.assignees !== undefined
      ? { assignees: compiled.definition.assignees }
      : {}),
    ...(deadline === undefined ? {} : { deadline }),
    ...(about === undefined ? {} : { about }),
    ...(compiled.definition.hold === 'run' ? { hold: 'run' as const } : {}),
  });
  return request;
}

/** An operation can be in doubt more than once in a visit: each time it is another question, with an answer of its own. */
function freshId(run: Run, ref: NodeRef, { op, member = '' }: Asking): string {
  for (let time = 1; ; time += 1) {
    const id = requestIdOf(run, ref, op, time === 1 ? member : `${member}~${time}`);
    if (findRequest(run, id) === undefined) return id;
  }
}

/** Questions of this visit, and passes begun anew by an answer, since the token began. */
function questionsInARow(d: Decider, ref: NodeRef): number {
  const token = d.token(ref.token);
  const journal = token.at.kind === 'node' ? token.at.journal : undefined;
  let asked = visibleAnswers(d.run, token).length;
  for (const op of journal?.values() ?? []) if (op.kind === 'ask' && op.status === 'recorded') asked += 1;
  return asked;
}

function titleOf(compiled: CompiledRequest): string {
  return typeof compiled.definition.title === 'string' ? compiled.definition.title : 'a question';
}

type Filled = { readonly values: Record<string, JsonValue> } | { readonly error: string };

function fillTemplates(compiled: CompiledRequest, see: Bindings): Filled {
  const values: Record<string, JsonValue> = {};
  for (const [name, template] of compiled.templates) {
    if (template.constant !== undefined) continue;
    const filled = template.fill(see);
    if (!filled.ok) return { error: `The request's ${name} cannot be evaluated: ${filled.reason}.` };
    values[name] = filled.value;
  }
  return { values };
}

function deadlineOf(
  d: Decider,
  compiled: CompiledRequest,
  see: Bindings,
): number | undefined | { readonly error: string } {
  if (compiled.deadlineAfter !== undefined) return d.at + compiled.deadlineAfter;
  if (compiled.deadlineAt === undefined) return undefined;
  const filled = compiled.deadlineAt.fill(see);
  if (!filled.ok) return { error: `The request's deadline cannot be evaluated: ${filled.reason}.` };
  try {
    return parseInstant(String(filled.value), d.run.zone);
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
