import {
  assertJsonValue,
  type Commit,
  commitMillis,
  commitTime,
  decide,
  foldCommits,
  initialState,
  type LaterOperation,
  laterKey,
  type OpRecord,
  type OpRef,
  opKey,
  type Principal,
  type Program,
  type Run,
  type RunEvent,
  SignalboxError,
  type StoredEvent,
} from '@signalbox/kernel';
import type { Append } from '@signalbox/ports';
import { sha256, toAppend } from '../log/commit-codec.ts';
import { externalize, refsUpTo } from '../log/payloads.ts';
import { dueTime, requestRows, runRow } from '../log/rows.ts';
import { commitsFrom, type ReadCommit } from '../log/run-log.ts';
import { learnWaits } from '../sensitive/mask-by-marks.ts';
import { maskedRun } from '../sensitive/masked-run.ts';
import { Opening } from '../sensitive/opening.ts';
import { Seal } from '../sensitive/seal-commit.ts';
import type { Engine } from './engine.ts';
import { unknownRun } from './unknown-run.ts';
import { wholeDecisions } from './whole-decisions.ts';

export type Effects = 'recorded' | 'ask' | 'live';

export interface ForkOptions {
  /** Sequence number up to which the past is taken over; default: all of it. Within a decision: up to before it. */
  readonly at?: number;
  /** What becomes of `once` operations that the parent did later, when the child comes to them; default `ask`. */
  readonly effects?: Effects;
  /** Another version to go on with, and what its nodes are called there. */
  readonly version?: string;
  readonly mapping?: Readonly<Record<string, string>>;
  readonly reason?: string;
}

/** A new run with the same past up to a point. The parent is not touched. Returns the child's id. */
export async function forkRun(engine: Engine, parentId: string, options: ForkOptions, by: Principal): Promise<string> {
  assertJsonValue(options, 'The fork');
  const history: ReadCommit[] = [];
  const opening = new Opening(engine.keys);
  for await (const read of commitsFrom(engine.store, parentId, 1, opening)) history.push(read);
  const last = history.at(-1)?.commit;
  if (last === undefined) throw unknownRun(parentId);
  const end = last.firstSeq + last.events.length - 1;
  const wished = options.at ?? end;
  if (wished < 1 || wished > end)
    throw new SignalboxError('UnknownPoint', `Run ${parentId} has no event ${wished}; its events are 1 to ${end}.`);
  const at = wholeDecisions(
    history.map(({ commit }) => commit),
    wished,
  );
  const runId = `run_${engine.ids.uuid()}`;
  const before = history.filter(({ commit }) => commit.firstSeq <= at);
  const past = foldCommits(
    initialState(),
    before.map(({ commit }) => copyFor(commit, runId, at)),
  );
  const program = await engine.graphs.program(past.version);
  const target = await targetOf(engine, options.version, program);
  const now = Math.max(engine.clock.now(), past.at);
  const forked = decide(program, past, {
    type: 'fork',
    parent: parentId,
    atSeq: at,
    effects: options.effects ?? 'ask',
    later: onceAfter(
      history.map(({ commit }) => commit),
      at,
      past,
    ),
    reason: options.reason ?? 'fork',
    ...(target === program ? {} : { onto: { to: target, mapping: options.mapping ?? {} } }),
    at: now,
    actor: by,
  });
  if (forked.refusal !== undefined) throw forked.refusal;
  const own = asCommit(runId, past.seq + 1, now, by, past.requestId, forked.events);
  const child = foldCommits(past, [own]);
  const salt = () => engine.ids.uuid();
  const seal = new Seal({ ring: engine.keys, tenant: () => child.tenant, salt }, opening);
  learnWaits(program, past, seal.secrets);
  const sealed = seal.sealed(own, target);
  const shown = (sealed?.shown ?? forked.events) as readonly RunEvent[];
  const { commit: lean, payloads } = externalize(sealed?.commit ?? own, salt, engine.payloadLimit);
  await engine.sessions.commit(
    child,
    { events: shown, actor: by },
    {
      appends: chain([...before.map(read => copyFor(read.lean, runId, at)), lean]),
      runs: [runRow(child, dueTime(child, target))],
      // Questions of the past are the parent's; the child asks its own.
      requests: requestRows(target, child, openedBy(forked.events)).map(row => ({
        ...row,
        title: seal.secrets.maskedText(row.title),
      })),
      payloads: [...(sealed?.payloads ?? []), ...payloads].map(payload => ({ tenant: child.tenant, ...payload })),
      documents: engine.graphs.documents(target, now),
    },
    { sync: true },
  );
  engine.tell({ runId, firstSeq: own.firstSeq, events: shown }, maskedRun(target, child, seal.secrets));
  return runId;
}

async function targetOf({ graphs }: Engine, version: string | undefined, program: Program): Promise<Program> {
  return version === undefined || version === program.hash ? program : await graphs.program(version);
}

function openedBy(events: readonly RunEvent[]): string[] {
  return events.flatMap(event => (event.type === 'request.opened' ? [event.data.request] : []));
}

function copyFor(commit: Commit, runId: string, until: number): Commit {
  const { prev: _prev, refs: _refs, events: all, ...rest } = commit;
  const count = until - commit.firstSeq + 1;
  const events = all
    .slice(0, count)
    .map((event): StoredEvent => (event.type === 'run.started' ? { ...event, data: { ...event.data, runId } } : event));
  return { ...rest, stream: runId, ...refsUpTo(commit, count), events };
}

function asCommit(
  stream: string,
  firstSeq: number,
  at: number,
  actor: Principal,
  cause: string,
  events: readonly RunEvent[],
): Commit {
  return { stream, firstSeq, at: commitTime(at), actor, cause, events: events as unknown as StoredEvent[] };
}

/** Chains commits anew. */
function chain(commits: readonly Commit[]): Append[] {
  let prev: string | undefined;
  return commits.map(commit => {
    const append = toAppend(prev === undefined ? commit : { ...commit, prev });
    prev = sha256(append.seal().text);
    return append;
  });
}

/** Sets a run back to an earlier point, in place; what came after stays in the log. */
export async function rollbackRun(
  engine: Engine,
  runId: string,
  options: { readonly to: number; readonly effects?: Effects; readonly reason?: string },
  by: Principal,
): Promise<void> {
  assertJsonValue(options, 'The rollback');
  const { run: reached } = await engine.load(runId, options.to);
  if (reached.seq !== options.to)
    throw new SignalboxError('UnknownPoint', `Run ${runId} has no event ${options.to}; its last is ${reached.seq}.`);
  const history: Commit[] = [];
  const opening = new Opening(engine.keys);
  for await (const { commit } of commitsFrom(engine.store, runId, options.to, opening)) history.push(commit);
  const to = wholeDecisions(history, options.to);
  const { run: past } = to === options.to ? { run: reached } : await engine.load(runId, to);
  const { effects = 'ask', reason = 'rollback' } = options;
  await engine.command(runId, { type: 'rollback', to, past, effects, later: onceAfter(history, to, past), reason }, by);
}

interface Once {
  readonly ref: OpRef;
  readonly digest: string;
  /** When it was begun, epoch ms. */
  readonly at: number | undefined;
  readonly begun: boolean;
  outcome?: Pick<LaterOperation, 'value' | 'error'>;
}

/**
 * `once` operations that were done after a point, or begun by then or later with nobody knowing how they ended, in the
 * order in which they were begun: they are not silently done again (design 4.12). `past` is the run as of the point.
 */
function onceAfter(history: readonly Commit[], at: number, past: Run): LaterOperation[] {
  const open = new Map<string, Once>();
  const all = new Set<Once>();
  const begin = (once: Once, id: string) => {
    open.set(id, once);
    all.add(once);
  };
  for (const { ref, record, visits } of underWay(past)) {
    const once = { ref, digest: record.digest, at: record.begun, begun: true };
    for (const visit of visits) begin(once, idOf({ ...ref, visit }));
  }
  for (const { at: time, event } of eventsAfter(history, at)) {
    const { type, data } = event;
    const ref = data as unknown as OpRef & { digest: string; class?: string } & Pick<LaterOperation, 'value' | 'error'>;
    const id = idOf(ref);
    const once = open.get(id);
    if (type === 'op.intended' && ref.class === 'once')
      begin({ ref, digest: ref.digest, at: commitMillis(time), begun: false }, id);
    else if (type === 'op.recorded' && once !== undefined) once.outcome = { value: ref.value, error: ref.error };
    else if (type === 'op.retried' && once !== undefined) all.delete(once);
    if (type === 'op.recorded' || type === 'op.retried') open.delete(id);
  }
  return [...all].map(toLater);
}

function toLater({ ref, digest, at, begun, outcome }: Once): LaterOperation {
  const { value, error } = outcome ?? {};
  return {
    key: laterKey(ref, ref.op),
    digest,
    ...(value === undefined ? {} : { value }),
    ...(error === undefined ? {} : { error }),
    ...(outcome === undefined ? { unknown: true as const } : {}),
    ...(begun ? { begun: true as const } : {}),
    ...(at === undefined ? {} : { at }),
  };
}

function* eventsAfter(history: readonly Commit[], after: number): Generator<{ at: string; event: StoredEvent }> {
  for (const { at, firstSeq, events } of history)
    for (const [index, event] of events.entries()) if (firstSeq + index > after) yield { at, event };
}

/** Begun once and not ended, by the visits under which an end may be recorded: the one that began it, and the present. */
function* underWay(run: Run): Generator<{ ref: OpRef; record: OpRecord; visits: ReadonlySet<number> }> {
  for (const { id, at } of run.tokens.values()) {
    const place = at.kind === 'pending' ? at.adopt : at.kind === 'cancelled' ? at.left : at;
    if (place === undefined || !('journal' in place)) continue;
    const node = at.kind === 'cancelled' ? (at.was ?? '') : 'node' in at ? at.node : '';
    for (const record of place.journal.values())
      if (record.class === 'once' && record.status !== 'recorded')
        yield {
          ref: { token: id, node, visit: place.visit, op: record.op },
          record,
          visits: new Set([record.from ?? place.visit, place.visit]),
        };
  }
}

function idOf(ref: OpRef): string {
  return opKey(ref, ref.op);
}
