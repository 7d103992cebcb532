import {
  commitTime,
  Draft,
  type ErrorData,
  initialState,
  type JsonObject,
  type Principal,
  type Run,
  type RunEventType,
} from '@signalbox/kernel';
import { applyCommitted, type Commits, type CommittedEvent, eventsOf } from './commits.ts';
import {
  type DecisionRow,
  decisionRow,
  type LookedGuard,
  type ProgramOf,
  type RouteRow,
  VersionWatch,
} from './decisions.ts';
import { errorText, eventText, placeOf } from './event-text.ts';
import { cut, oneLine, principalText, shown } from './text.ts';

/** One decision or fact that led to where the run stands. */
export interface WhyRow {
  readonly seq: number;
  readonly at: string;
  readonly actor: Principal;
  /** The event's type. */
  readonly what: string;
  readonly node?: string;
  readonly token?: string;
  /** One line. */
  readonly text: string;
  /** Of `route.decided` and `decision.made` the row that `decisions` gives, with the texts of the definition. */
  readonly decision?: RouteRow | DecisionRow;
  /** Of the other facts the event's data. */
  readonly data?: JsonObject;
}

export interface Why {
  readonly runId: string;
  readonly status: Run['status'];
  /** How the run stands and what it waits for, one line. */
  readonly now: string;
  /** Newest first. */
  readonly rows: readonly WhyRow[];
  /** Facts before the oldest row that were left out. */
  readonly earlier: number;
}

/** What a status can hang on. Claims, starts, state and the successes of nodes are told by `timeline`. */
const TELLING: ReadonlySet<RunEventType> = new Set<RunEventType>([
  'run.started',
  'run.suspended',
  'run.paused',
  'run.resumed',
  'run.stepped',
  'run.retried',
  'run.edited',
  'run.jumped',
  'run.rolledBack',
  'run.forked',
  'run.migrated',
  'run.completed',
  'run.failed',
  'run.compensating',
  'run.cancelling',
  'run.cancelled',
  'run.reopened',
  'episode.started',
  'scope.failing',
  'token.ended',
  'node.failed',
  'node.skipped',
  'node.retryScheduled',
  'node.stuck',
  'node.fellBack',
  'op.doubted',
  'op.retried',
  'decision.made',
  'route.decided',
  'request.opened',
  'request.endorsed',
  'request.released',
  'request.answered',
  'request.refused',
  'request.expired',
  'request.escalated',
  'request.withdrawn',
  'signal.received',
  'limit.reached',
  'limit.extended',
  'budget.exceeded',
  'budget.extended',
  'compensation.finished',
  'note.added',
]);

const DEFAULT_LIMIT = 50;

/** Newest first, the decisions and facts that led to the run's present status. @param options.limit rows kept, default 50. */
export async function why(
  commits: Commits,
  options: { readonly programOf?: ProgramOf; readonly limit?: number } = {},
): Promise<Why> {
  const limit = options.limit ?? DEFAULT_LIMIT;
  const versions = new VersionWatch(options.programOf);
  const draft = new Draft(initialState());
  let kept: WhyRow[] = [];
  let told = 0;
  for await (const committed of eventsOf(commits)) {
    applyCommitted(draft, committed);
    const row = whyRow(committed, decisionRow(committed, versions.see(committed)));
    if (row === undefined) continue;
    told += 1;
    kept.push(row);
    if (kept.length >= 2 * limit + 1) kept = kept.slice(-limit);
  }
  const rows = kept.slice(-limit).reverse();
  return { runId: draft.run.id, status: draft.run.status, now: nowText(draft.run), rows, earlier: told - rows.length };
}

function whyRow(committed: CommittedEvent, decision: RouteRow | DecisionRow | undefined): WhyRow | undefined {
  const { seq, commit, event } = committed;
  if (!isTelling(committed)) return undefined;
  const base = { seq, at: commit.at, actor: commit.actor, what: event.type, ...placeOf(event) };
  if (decision === undefined) return { ...base, text: eventText(event), data: event.data };
  const text = decision.kind === 'route' ? routeText(decision) : eventText(event);
  return { ...base, text, decision };
}

function isTelling({ event }: CommittedEvent): boolean {
  if (event.type === 'op.recorded') return event.data.error !== undefined;
  if (event.type === 'tool.judged') return event.data.verdict === 'refused';
  if (event.type === 'node.succeeded') return event.data.degraded !== undefined;
  return TELLING.has(event.type as RunEventType);
}

/** `classify (success) → handoff, because low confidence: output.confidence < 0.6 [output.confidence = 0.4]`. */
function routeText({ node, outcome, to, route, because, looked, wish }: RouteRow): string {
  const reason = because === undefined ? '' : `, because ${oneLine(because)}`;
  const wished =
    wish === undefined ? '' : `, as ${node} wished${wish.reason === undefined ? '' : `: ${oneLine(wish.reason)}`}`;
  const taken = looked.find(guard => guard.route === route);
  const passed = looked.filter(guard => guard.route !== route);
  const held = taken === undefined ? '' : `; ${guardText(taken)}`;
  const others = passed.length === 0 ? '' : `; not ${passed.map(guardText).join(', not ')}`;
  return `${node} (${outcome}) → ${to.join(', ')}${reason}${wished}${held}${others}`;
}

function guardText({ when, values, reason, route }: LookedGuard): string {
  const read = Object.entries(values ?? {}).map(([path, value]) => `${path} = ${shown(value, 40)}`);
  const seen = read.length === 0 ? '' : ` [${read.join(', ')}]`;
  return `${when === undefined ? `guard ${route}` : oneLine(when)}${seen}${reason === undefined ? '' : ` (${oneLine(reason)})`}`;
}

/** How the run stands, and what has to happen for it to go on. */
export function nowText(run: Run): string {
  switch (run.status) {
    case 'suspended':
      return `suspended: ${run.suspend?.reason === 'waiting' ? waitsText(run) : (run.suspend?.reason ?? 'waiting')}`;
    case 'failed':
      return `failed: ${errorText(run.error ?? UNKNOWN)}`;
    case 'completed':
      return `completed with ${shown(run.output ?? null)}${run.completion === undefined ? '' : ` (${run.completion})`}`;
    case 'compensating':
      return `undoes what was done: ${oneLine(run.compensating?.reason ?? '')}`;
    case 'cancelling':
      return `is being cancelled: ${oneLine(run.cancelling?.reason ?? '')}`;
    default:
      return run.status;
  }
}

const UNKNOWN: ErrorData = { code: 'Failed', message: 'failed' };
const WAITS_SHOWN = 5;

function waitsText(run: Run): string {
  const waits: string[] = [];
  for (const { id, title, assignees, deadline, node } of run.requests.values()) {
    const of = assignees.length === 0 ? '' : ` of ${assignees.join(', ')}`;
    const until = deadline === undefined ? '' : ` until ${commitTime(deadline)}`;
    waits.push(`for an answer${of} to ${shown(title)} (${id}, at ${node})${until}`);
  }
  for (const timer of run.timers.values())
    if (timer.kind === 'sleep' || timer.kind === 'retry')
      waits.push(
        `${timer.kind === 'sleep' ? 'for the time' : 'to try again'} ${commitTime(timer.at)} at ${timer.node}`,
      );
  for (const signal of signalWaits(run)) waits.push(signal);
  if (waits.length === 0) return 'waits';
  const more = waits.length > WAITS_SHOWN ? `; and ${waits.length - WAITS_SHOWN} more` : '';
  return `waits ${waits.slice(0, WAITS_SHOWN).join('; ')}${more}`;
}

function* signalWaits(run: Run): Generator<string> {
  for (const { at } of run.tokens.values()) {
    if (at.kind !== 'node') continue;
    for (const { status, wait, first } of at.journal.values()) {
      if (status !== 'intended') continue;
      for (const one of wait === undefined ? Object.values(first ?? {}) : [wait]) {
        if (one.signal !== undefined)
          yield `for the signal ${oneLine(one.signal)} at ${at.node}${keptText(run, one.signal)}`;
        if (one.when !== undefined) yield `until ${cut(oneLine(one.when))} at ${at.node}`;
      }
    }
  }
}

/** What came before and does not fit: it would have been taken otherwise. */
function keptText(run: Run, signal: string): string {
  const kept = run.signals.get(signal)?.length ?? 0;
  return kept === 0 ? '' : ` (${kept} kept that ${kept === 1 ? 'does' : 'do'} not fit)`;
}

/** The whole answer for people: how it stands, then one line for each row. */
export function whyText({ runId, now, rows, earlier }: Why): string {
  const lines = rows.map(
    row => `  ${String(row.seq).padStart(5)}  ${row.at}  ${principalText(row.actor)}  ${row.text}`,
  );
  const more = earlier === 0 ? [] : [`  … ${earlier} earlier`];
  return [`${runId} ${now}`, ...lines, ...more].join('\n');
}
