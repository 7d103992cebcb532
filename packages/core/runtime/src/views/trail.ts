import {
  commitMillis,
  formatDuration,
  isJsonObject,
  type NodeRef,
  type RunEvents,
  type StoredEvent,
} from '@signalbox/kernel';
import { type Commits, type CommittedEvent, eventsOf } from './commits.ts';
import { oneLine } from './text.ts';
import { type Mark, Path, type Step } from './trail-path.ts';

/**
 * The line that opens any view of a run: `intake → classify → faq → reply (completed, 41 ms)`.
 *
 * | written | means |
 * | --- | --- |
 * | `a → (b → c \| d) → j` | a fork: one way for each branch, in the graph's order; `·` where nothing ran |
 * | `order { check → pay }` | a subgraph and what ran in it |
 * | `each[12]`, `each[5 of 12]`, `each[12, 1 failed]` | a map and its items |
 * | `poll ×12` | the same node that many times in a row |
 * | `handoff?` | waits: for an answer, a signal, a time |
 * | `pay…` | at work |
 * | `pay!` | failed |
 * | `pay~` | skipped |
 * | `pay✗` | cancelled |
 * | `pay↩` | undone |
 * | `a ↺ b` | begun anew at b with an answer |
 * | `a ⇢ b` | moved to b from outside: a jump or a rollback, or a fork where b was under way |
 * | `… 3,960 more …` | left out |
 *
 * @param status how it stands where the log does not tell: a run at work whose code is missing is suspended.
 */
export async function trail(commits: Commits, status?: string): Promise<string> {
  const walk = new TrailWalk();
  for await (const committed of eventsOf(commits)) walk.add(committed);
  return walk.text(status);
}

const ROOT_ROOM = 20;

/** What ends a question. */
const CLOSING: ReadonlySet<string> = new Set(['request.answered', 'request.expired', 'request.withdrawn']);

/** Adds up a trail event by event, for those who follow a run. It holds what the line shows, never the history. */
export class TrailWalk {
  readonly #root: Path;
  readonly #paths = new Map<string, Path>();
  readonly #scopes = new Map<string, Step>();
  /** Who asks, by the id of the open request. */
  readonly #asking = new Map<string, Step>();
  #status = 'running';
  #errorCode: string | undefined;
  #startedAt = 0;
  #at = 0;

  constructor() {
    this.#root = new Path(ROOT_ROOM, step => this.#forget(step));
    this.#paths.set('', this.#root);
  }

  add({ commit, event }: Pick<CommittedEvent, 'commit' | 'event'>): void {
    this.#at = Math.max(this.#at, commitMillis(commit.at));
    if (event.type === 'run.started') this.#startedAt = this.#at;
    const status = STATUS_AFTER[event.type];
    if (status !== undefined && !(this.#status === 'paused' && STAYS_PAUSED.has(event.type))) {
      this.#status = status;
      this.#errorCode = isJsonObject(event.data.error) ? String(event.data.error.code) : undefined;
    }
    this.#addPlace(event);
  }

  /** Time is told where something took it; how long a run waits is not in its log. */
  text(status = this.#status): string {
    const waits = status === 'suspended' || status === 'paused';
    const error = this.#errorCode === undefined ? '' : `: ${oneLine(this.#errorCode)}`;
    const time = waits ? '' : `, ${formatDuration(this.#at - this.#startedAt)}`;
    const path = this.#root.text();
    return `${path === '' ? '' : `${path} `}(${status}${error}${time})`;
  }

  #addPlace({ type, data }: StoredEvent): void {
    switch (type) {
      case 'node.started':
        return this.#start(data as unknown as RunEvents['node.started']);
      case 'scope.opened':
        return this.#open(data as unknown as RunEvents['scope.opened']);
      case 'item.opened':
        return this.#item(String(data.scope), 'opened');
      case 'token.ended':
        return data.status === 'failed' ? this.#item(scopeOf(String(data.token)), 'failed') : undefined;
      case 'episode.started':
        return this.#paths.get(String(data.token))?.turn('↺');
      case 'run.jumped':
        return this.#paths.get(String(data.token))?.turn('⇢');
      case 'run.rolledBack':
        for (const path of this.#paths.values()) path.turn('⇢');
        return this.#beginAnew();
      case 'run.forked':
        return this.#beginAnew();
      default:
        return this.#addMark(type, data);
    }
  }

  /** What was under way is begun as a further visit; what holds a scope goes on with what is in it. */
  #beginAnew(): void {
    for (const path of this.#paths.values())
      for (const step of path.ownSteps())
        if (step.scope === undefined && (step.mark === 'working' || step.mark === 'waiting')) {
          step.mark = 'cancelled';
          path.turn('⇢');
        }
  }

  #start({ token, node, visit, attempt, as }: RunEvents['node.started']): void {
    const path = this.#paths.get(token);
    const step = path?.find(node, visit) ?? (attempt === 1 ? path?.visit(node, visit) : undefined);
    if (step !== undefined) step.mark = as === 'wait' ? 'waiting' : 'working';
  }

  #open({ token, node, visit, scope, kind, size }: RunEvents['scope.opened']): void {
    const path = this.#paths.get(token);
    const step = kind === 'fork' ? path?.fork() : path?.find(node, visit);
    if (path === undefined || step === undefined) return;
    step.scope = scope;
    this.#scopes.set(scope, step);
    if (kind === 'map') step.items = { size, opened: 0, failed: 0 };
    else
      for (let index = 0; index < size; index += 1) {
        const branch = `${scope}.${index}`;
        this.#paths.set(branch, path.branch(step, branch));
      }
  }

  #item(scope: string, count: 'opened' | 'failed'): void {
    const items = this.#scopes.get(scope)?.items;
    if (items !== undefined) items[count] += 1;
  }

  #addMark(type: string, data: StoredEvent['data']): void {
    const request = typeof data.request === 'string' ? data.request : undefined;
    const { token, node, visit } = data as unknown as NodeRef;
    const step =
      request !== undefined && type !== 'request.opened'
        ? this.#asking.get(request)
        : this.#paths.get(token)?.find(node, visit);
    if (request !== undefined && step !== undefined && data.about === undefined) {
      if (type === 'request.opened') this.#asking.set(request, step);
      else if (CLOSING.has(type)) this.#asking.delete(request);
    }
    const mark = markAfter(type, data);
    if (mark === undefined || step === undefined) return;
    // Operations are recorded while a node works, and by its compensation when it is over.
    if (type !== 'op.recorded' || step.mark === 'waiting') step.mark = mark;
  }

  #forget(step: Step): void {
    if (step.scope !== undefined) this.#scopes.delete(step.scope);
    for (const token of step.branches.keys()) this.#paths.delete(token);
  }
}

function scopeOf(token: string): string {
  return token.slice(0, Math.max(0, token.lastIndexOf('.')));
}

const MARK_AFTER: Readonly<Record<string, Mark>> = {
  'node.succeeded': 'done',
  'node.failed': 'failed',
  'node.skipped': 'skipped',
  'node.cancelled': 'cancelled',
  'node.suspended': 'waiting',
  'node.retryScheduled': 'waiting',
  'node.stuck': 'waiting',
  'node.unstuck': 'working',
  'node.woken': 'working',
  'op.recorded': 'working',
  'request.answered': 'working',
  'compensation.finished': 'undone',
};

function markAfter(type: string, data: StoredEvent['data']): Mark | undefined {
  if (type === 'node.retryScheduled' && data.durable !== true) return 'working';
  if (type === 'compensation.finished' && data.error !== undefined) return undefined;
  return MARK_AFTER[type];
}

const STAYS_PAUSED: ReadonlySet<string> = new Set(['run.jumped', 'run.forked', 'run.rolledBack']);

const STATUS_AFTER: Readonly<Record<string, string>> = {
  'run.started': 'running',
  'run.suspended': 'suspended',
  'run.resumed': 'running',
  'run.paused': 'paused',
  'run.retried': 'running',
  'run.jumped': 'running',
  'run.forked': 'running',
  'run.reopened': 'paused',
  'run.rolledBack': 'running',
  'run.compensating': 'compensating',
  'run.cancelling': 'cancelling',
  'run.cancelled': 'cancelled',
  'run.completed': 'completed',
  'run.failed': 'failed',
};
