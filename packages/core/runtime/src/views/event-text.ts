import {
  type Change,
  commitTime,
  type ErrorData,
  formatDuration,
  isJsonObject,
  type RunEvents,
  type StoredEvent,
  type WaitData,
} from '@signalbox/kernel';
import { accountText, amountsText, limitText } from './budget-text.ts';
import { cut, oneLine, principalText, shown } from './text.ts';

type Texts = { readonly [Type in keyof RunEvents]: (data: RunEvents[Type]) => string };

/** Keyed by the whole union: a new event type does not compile until it says how it reads. */
const TEXTS: Texts = {
  'run.started': d => `starts ${d.graph}${d.label === undefined ? '' : ` (${d.label})`} with ${shown(d.input)}`,
  'run.claimed': d => `${d.owner} drives the run in term ${d.term}, build ${d.build}`,
  'run.idled': d => `nobody had driven the run for ${formatDuration(d.idle)}`,
  'run.released': d => `${d.owner} drives the run no more`,
  'run.suspended': d => `suspended: ${d.reason}${d.details === undefined ? '' : ` ${shown(d.details)}`}`,
  'run.resumed': d => `goes on${reasonText(d.reason)}`,
  'run.paused': d => `paused${reasonText(d.reason)}`,
  'run.stepped': d => `one step${reasonText(d.reason)}`,
  'run.retried': d => `retried${reasonText(d.reason)}`,
  'run.edited': d => `state edited${reasonText(d.reason)}`,
  'run.jumped': d => `jumps from ${d.from || 'nowhere'} to ${d.to}${reasonText(d.reason)}`,
  'run.rolledBack': d => `rolled back to ${d.to} (effects: ${d.effects}): ${words(d.reason)}`,
  'run.forked': d => `forked from ${d.parent} at ${d.at} (effects: ${d.effects}): ${words(d.reason)}`,
  'run.migrated': d => `moves from version ${short(d.from)} to ${d.label ?? short(d.to)}${reasonText(d.reason)}`,
  'run.completed': d => `completed with ${shown(d.output)}${d.reason === undefined ? '' : ` (${d.reason})`}`,
  'run.failed': d => `failed: ${errorText(d.error)}${compensationText(d.compensation)}`,
  'run.compensating': d => `undoes what was done, then is ${d.ending}: ${words(d.reason)}`,
  'run.cancelling': d => `is being cancelled${reasonText(d.reason)}`,
  'run.cancelled': d => `cancelled${reasonText(d.reason)}${compensationText(d.compensation)}`,
  'run.reopened': d => `reopened${reasonText(d.reason)}`,
  'episode.started': d => `pass ${d.episode + 1} begins at ${d.at} with the answer to ${d.request}`,
  'scope.opened': d => (d.kind === 'fork' ? `forks to ${listed(d.entries)}` : `opens a ${d.kind} of ${d.size}`),
  'scope.closed': d => `scope ${d.scope} is over: ${d.outcome}${d.node === undefined ? '' : ` at ${d.node}`}`,
  'scope.failing': d => `scope ${d.scope} cannot be completed: ${errorText(d.error)}`,
  'scope.failed': d => `scope ${d.scope} failed: ${errorText(d.error)}`,
  'item.opened': d => `item ${d.index} begins at ${d.node}`,
  'token.ended': d => `the token ${d.status}${d.error === undefined ? '' : `: ${errorText(d.error)}`}`,
  'node.started': d => `${d.node} starts${times(d)}${d.input === undefined ? '' : ` with ${shown(d.input)}`}`,
  'node.passed': d => `${d.node} passes its checks`,
  'node.succeeded': d =>
    `${d.node} gives ${shown(d.output)}${d.degraded === undefined ? '' : ` (from ${d.degraded.by})`}`,
  'node.failed': d => `${d.node} failed: ${errorText(d.error)}`,
  'node.suspended': d => `${d.node} waits for ${listed(d.ops)}`,
  'node.skipped': d => `${d.node} skipped${d.reason === undefined ? '' : `: ${words(d.reason)}`}`,
  'node.cancelled': d => `${d.node} cancelled: ${d.reason}`,
  'node.retryScheduled': d =>
    `${d.node} is tried again (attempt ${d.attempt}) at ${commitTime(d.at)}: ${errorText(d.error)}`,
  'node.stuck': d => `${d.node} is stuck: ${errorText(d.error)}`,
  'node.unstuck': d => `${d.node} may go on`,
  'node.fellBack': d => `${d.node} falls back on ${d.to}: ${errorText(d.error)}`,
  'node.woken': d => `${d.node} goes on`,
  'op.intended': intendedText,
  'op.recorded': d =>
    `${d.op} ${d.error === undefined ? `gave ${shown(d.value)}${d.attempts === undefined ? '' : ` at attempt ${d.attempts}`}` : `failed: ${errorText(d.error)}`}`,
  'op.retried': d => `${d.op} is done again`,
  'op.doubted': d => `${d.op} is in doubt: it may have been done`,
  'place.queued': () => 'waits for its turn in the session',
  'place.taken': () => 'it is its turn in the session',
  'place.freed': () => 'its turn in the session is over',
  'message.added': d => `${d.node} says (${d.role}): ${shown(d.content)}`,
  'session.changed': d => `${d.node} changes the session: ${shown({ ...d.set })}`,
  'state.changed': d => d.changes.map(changeText).join('; '),
  'decision.made': d =>
    `${d.point} = ${shown(d.chosen)}${d.confidence === undefined ? '' : `, confidence ${Math.round(d.confidence * 1000) / 1000}`}${because(d.reason)}`,
  'route.decided': d => `${d.node} (${d.outcome}) → ${d.to.join(', ')}`,
  'request.opened': d => `asks ${shown(d.filled?.title ?? d.definition?.title ?? '')} (${d.request})${askedText(d)}`,
  'request.claimed': d => `${principalText(d.by)} has claimed ${d.request}${claimText(d)}`,
  'request.released': d => `${principalText(d.by)} gives ${d.request} back${because(d.reason)}`,
  'request.endorsed': d =>
    `${principalText(d.by)} approves ${d.request}${d.action === 'edit' ? ' as changed, which voids approvals before' : ''}: ${shown(d.values ?? {})}`,
  'request.reminded': d => `reminds of ${d.request}`,
  'request.recalled': d =>
    `${d.node} need not ask ${shown(d.title)}: ${principalText(d.by)} answered ${shown(d.values ?? {})} at ${d.at} (${d.from.scope} memory)`,
  'memory.written': d => `remembers ${shown(d.key)} in the ${d.scope}: ${shown(d.values)}`,
  // Judged anew behind an approval, by the state of then, a call needs it as before: whether it has it, its answer says.
  'tool.judged': d =>
    `${d.tool} ${d.verdict === 'ready' ? 'may be called' : d.verdict === 'approval' ? 'may be called with an approval' : `may not be called: ${refusalText(d.refusal)}`}`,
  'tools.changed': d =>
    [d.on.length > 0 ? `can be called now: ${listed(d.on)}` : '', d.off.length > 0 ? `no more: ${listed(d.off)}` : '']
      .filter(part => part !== '')
      .join('; ') || 'no tool is there',
  'budget.spent': d => `${d.op} spent${d.possibly ? ' possibly' : ''} ${amountsText(d.amounts)}`,
  'budget.exceeded': d =>
    `${d.op} would pass the budget of ${accountText(d.account)}: at most ${limitText(d.limit, d.allowed)}; used or reserved ${limitText(d.limit, d.used)}, wanted ${limitText(d.limit, d.wanted)} more`,
  'budget.extended': d => `the budget of ${accountText(d.account)} is granted once more`,
  'memory.removed': d => `forgets ${shown(d.key)}: ${words(d.reason)}`,
  'request.answered': d =>
    `answer: ${d.action}${d.values === undefined ? '' : ` ${shown(d.values)}`}${d.note === undefined ? '' : `, note ${shown(d.note)}`}`,
  'request.refused': d => `answer of ${principalText(d.by)} refused: ${d.code}${issuesText(d.issues)}`,
  'request.expired': d => `nobody answered ${d.request} in time (${d.onExpire})`,
  'request.escalated': d =>
    `${d.request} goes to ${(d.assignees ?? [d.to]).join(', ')}, until ${commitTime(d.deadline)}`,
  'request.withdrawn': d =>
    `${d.request} withdrawn${d.by === undefined ? '' : ` by ${principalText(d.by)}`}: ${d.note === undefined ? d.reason : words(d.note)}`,
  'timer.fired': d => `time for ${d.timer}`,
  'signal.received': d => `signal ${d.name}: ${shown(d.value)}`,
  'signal.consumed': d => `signal ${d.name} is used`,
  'limit.reached': d => `${d.of ?? (d.node || 'the run')} reached ${d.limit} = ${d.value}`,
  'limit.extended': d => `${d.of ?? (d.node || 'the run')} may go on: ${d.limit} = ${d.value} again`,
  'compensation.started': d => `undoes ${d.node}`,
  'compensation.finished': d =>
    d.error === undefined ? `${d.node} undone` : `${d.node} not undone: ${errorText(d.error)}`,
  'note.added': d => words(d.text),
  'payload.erased': d => `${d.digest} erased: ${words(d.reason)}`,
};

/** Whether this version knows the type and the version of its data. */
export function isKnownEvent({ type, v }: StoredEvent): boolean {
  return Object.hasOwn(TEXTS, type) && (v === undefined || v === 1);
}

/** The event as a sentence without its subject; an event of a newer version by its data. */
export function eventText(event: StoredEvent): string {
  if (!isKnownEvent(event)) return shown(event.data);
  const text = TEXTS[event.type as keyof RunEvents] as (data: unknown) => string;
  return text(event.data);
}

function refusalText(refusal: RunEvents['tool.judged']['refusal']): string {
  return refusal === undefined ? 'refused' : errorText(refusal);
}

/** `amount = 19.99`, `trail + ["faq"]`. */
export function changeText({ key, op, value }: Change): string {
  switch (op) {
    case 'remove':
      return `${key} removed`;
    case 'set':
      return `${key} = ${shown(value)}`;
    case 'append':
      return `${key} + ${shown(value)}`;
    case 'merge':
      return `${key} & ${shown(value)}`;
    case 'increment':
      return `${key} ${Number(value) < 0 ? '-' : '+'} ${Math.abs(Number(value))}`;
  }
}

export function errorText({ code, message }: Pick<ErrorData, 'code' | 'message'>): string {
  return `${code}: ${cut(oneLine(message), 200)}`;
}

function intendedText({ op, class: effect, wait, first, request }: RunEvents['op.intended']): string {
  const waits = (wait === undefined ? Object.values(first ?? {}) : [wait]).map(waitText);
  if (waits.length > 0) return `waits ${waits.join(' or ')} (${op})`;
  return `${op} is about to be done${effect === undefined ? '' : ` (${effect})`}${toldText(request)}`;
}

/** A tool gets arguments, a model messages. */
function toldText(request: RunEvents['op.intended']['request']): string {
  if (request === undefined) return '';
  return request.arguments === undefined ? `, told ${shown(request.messages)}` : ` with ${shown(request.arguments)}`;
}

function waitText({ signal, timer, when, request }: WaitData): string {
  if (signal !== undefined) return `for signal ${signal}`;
  if (timer !== undefined) return `until ${commitTime(timer)}`;
  return when === undefined ? `for ${request ?? 'an answer'}` : `until ${when}`;
}

/** Where nobody gave a reason the log has the name of the act, which says nothing more. */
const NO_REASON = /^(?:resumed|goesOn|paused|step|stepped|retried|edited|jumped|cancelled|reopened|migrated)$/;

function reasonText(reason: string): string {
  return NO_REASON.test(reason) ? '' : `: ${words(reason)}`;
}

function words(text: string): string {
  return cut(oneLine(text), 200);
}

function because(reason: string | undefined): string {
  return reason === undefined ? '' : `, because ${words(reason)}`;
}

function short(hash: string): string {
  return hash.slice(0, 12);
}

function listed(names: readonly string[] | undefined): string {
  return (names ?? []).join(', ');
}

function times({ attempt, visit }: { readonly attempt: number; readonly visit: number }): string {
  return `${visit > 1 ? `, visit ${visit}` : ''}${attempt > 1 ? `, attempt ${attempt}` : ''}`;
}

function compensationText(compensation: 'complete' | 'incomplete' | undefined): string {
  return compensation === undefined ? '' : `; what was done is ${compensation === 'complete' ? '' : 'not all '}undone`;
}

function askedText(d: RunEvents['request.opened']): string {
  const who = d.assignees ?? d.definition?.assignees;
  const of = who === undefined || who.length === 0 ? '' : ` of ${who.join(', ')}`;
  return `${of}${d.deadline === undefined ? '' : `, until ${commitTime(d.deadline)}`}`;
}

function claimText({ until, from }: RunEvents['request.claimed']): string {
  const whence = from === undefined ? '' : `, taken over from ${principalText(from)}`;
  return until === undefined ? whence : `${whence}, until ${commitTime(until)}`;
}

function issuesText(issues: RunEvents['request.refused']['issues']): string {
  return issues === undefined || issues.length === 0
    ? ''
    : ` (${issues.map(issue => `${issue.pointer} ${issue.code}`).join(', ')})`;
}

/** Where an event says it happened: node and token, as far as its data name them. */
export function placeOf({ data }: StoredEvent): { readonly node?: string; readonly token?: string } {
  const { node, token } = isJsonObject(data) ? data : {};
  return {
    ...(typeof node === 'string' && node !== '' ? { node } : {}),
    ...(typeof token === 'string' ? { token } : {}),
  };
}

/** How long a run took, or has taken so far: from its start to its end or to the last fact. */
export function lengthText(from: number, to: number): string {
  return formatDuration(Math.max(0, to - from));
}
