import {
  type CommandBody,
  type Commit,
  commitMillis,
  isJsonObject,
  type JsonObject,
  jsonEqual,
  type MemoryEntry,
  type NodeRef,
  type OpRef,
  type OpReport,
  type Program,
  type Run,
  type RunEvents,
  type StoredEvent,
} from '@signalbox/kernel';
import { DRIVER } from '../drive/driver-deps.ts';
import type { Trial } from './trial.ts';

/** Where the walk through a log stands: before the event at `index` of a commit, with the run as it is there. */
export interface Place {
  readonly commit: Commit;
  readonly index: number;
  readonly run: Run;
}

/** What an input may need beside the run: other versions, and the run as it once was. */
export interface Sources {
  program(version: string): Promise<Program>;
  past(seq: number): Run;
}

type Data<Type extends keyof RunEvents> = RunEvents[Type];
type ToBodies = (
  data: never,
  place: Place,
  sources: Sources,
) => readonly CommandBody[] | undefined | Promise<readonly CommandBody[]>;

/**
 * What came from outside, and is in the log as a fact: it is given to the kernel again. More than one command where the
 * fact does not say which of them it was.
 *
 * @returns undefined where the next event is no such fact, but has to come from handlers or from time.
 */
export async function recordedInput(place: Place, sources: Sources): Promise<readonly CommandBody[] | undefined> {
  const event = (isOutside(place) ? outsideFact(place) : undefined) ?? place.commit.events[place.index];
  const toBodies = (isOutside(place) ? { ...OF_DRIVER, ...OF_OUTSIDE } : OF_DRIVER)[event?.type ?? ''];
  if (event === undefined || toBodies === undefined) return undefined;
  if (event.type === 'op.recorded' && event.data.late !== true) return undefined;
  return await toBodies(event.data as never, place, sources);
}

/**
 * Such a fact stands as it is where the command cannot be made again from it: nobody recorded what exactly was sent.
 * An input is recorded as its schema gave it out, which may be nothing that it takes in.
 */
export function isTakenAsIs({ type }: StoredEvent, closest: Trial | undefined): boolean {
  if (type === 'request.refused') return true;
  if (type !== 'run.started' || closest === undefined) return false;
  return closest.refusal !== undefined || closest.difference?.path.startsWith('/data/input') === true;
}

function isOutside({ commit, index }: Place): boolean {
  return index === 0 && !(commit.actor.kind === DRIVER.kind && commit.actor.id === DRIVER.id);
}

/** Time may have brought something first, and an answer of its own; the act is the first that is its actor's. */
function outsideFact({ commit }: Place): StoredEvent | undefined {
  return commit.events.find(({ type, data }) => {
    if (!(type in OF_OUTSIDE)) return false;
    // Any other reason is a consequence of another act.
    if (type === 'request.withdrawn' && data.reason !== 'withdrawn') return false;
    return data.by === undefined || jsonEqual(data.by, { ...commit.actor });
  });
}

const OF_DRIVER: Readonly<Record<string, ToBodies>> = {
  'run.claimed': claims,
  'run.idled': (_: Data<'run.idled'>) => [{ type: 'idle' }],
  // A node that asks had memory looked at; of a handler's own question that is an operation like others.
  'request.opened': (data: Data<'request.opened'>, { run }) =>
    isLookedUp(run, data) ? [recalled(run, data)] : undefined,
  'request.recalled': (data: Data<'request.recalled'>, { run }) => {
    if (!isLookedUp(run, data)) return undefined;
    const { from, values = {}, by, at, title } = data;
    return [recalled(run, data, { ...from, values, by, at, title })];
  },
  'place.taken': (data: Data<'place.taken'>) => [{ type: 'admit', ...data }],
  'run.released': (_: Data<'run.released'>, { run }) => [{ type: 'release', term: run.term }],
  'compensation.finished': ({ error, final: _, ...ref }: Data<'compensation.finished'>, { run }) => [
    { type: 'compensated', term: run.term, ref, ...(error === undefined ? {} : { error }) },
  ],
  'node.stuck': ({ error, ...ref }: Data<'node.stuck'>, { run }) => [
    { type: 'report', term: run.term, ...ref, ops: [], end: { type: 'mismatch', error } },
  ],
  'op.recorded': ({ token, node, visit, late: _, again: __, ...record }: Data<'op.recorded'>, { run }) => [
    { type: 'report', term: run.term, token, node, visit, ops: [{ type: 'record', ...record } as OpReport] },
  ],
};

const OF_OUTSIDE: Readonly<Record<string, ToBodies>> = {
  'run.started': (data: Data<'run.started'>, place) => [start(data, place)],
  'request.answered': ({ by: _, at: __, digest: ___, ...answer }: Data<'request.answered'>) => [
    { type: 'answer', ...answer },
  ],
  'request.endorsed': ({ by: _, at: __, digest: ___, ...answer }: Data<'request.endorsed'>) => [
    { type: 'answer', ...answer },
  ],
  'request.claimed': ({ request, from }: Data<'request.claimed'>) => [
    { type: 'claimRequest', request, takeOver: from !== undefined },
  ],
  'request.released': ({ request, reason }: Data<'request.released'>) => [
    { type: 'releaseRequest', request, ...(reason === undefined ? {} : { reason }) },
  ],
  'request.withdrawn': ({ request, note }: Data<'request.withdrawn'>) => [
    { type: 'withdrawRequest', request, reason: note ?? '' },
  ],
  'request.refused': ({ request }: Data<'request.refused'>) => [{ type: 'answer', request, action: 'approve' }],
  'signal.received': (data: Data<'signal.received'>) => [{ type: 'signal', ...data }],
  'run.paused': ({ reason }: Data<'run.paused'>) => [{ type: 'pause', reason }],
  'run.resumed': ({ reason }: Data<'run.resumed'>) => [{ type: 'resume', reason }],
  'run.stepped': ({ reason }: Data<'run.stepped'>) => [{ type: 'step', reason }],
  'run.retried': ({ reason, tokens }: Data<'run.retried'>, { run }) => [
    { type: 'retry', reason },
    ...tokens.slice(0, 1).flatMap((token): CommandBody[] => {
      const at = run.tokens.get(token)?.at;
      return at !== undefined && 'node' in at ? [{ type: 'retry', reason, node: at.node }] : [];
    }),
  ],
  'run.edited': (data: Data<'run.edited'>, place) => [edit(data, place)],
  'run.jumped': ({ token, from, to, reason, adopt }: Data<'run.jumped'>) => [
    adopt === undefined ? { type: 'jump', token, to, reason } : { type: 'retry', node: from, reason },
  ],
  'run.cancelling': ({ reason, compensate }: Data<'run.cancelling'>) => [{ type: 'cancel', reason, compensate }],
  'run.reopened': ({ reason }: Data<'run.reopened'>) => [{ type: 'reopen', reason }],
  'run.rolledBack': ({ frame: _, ...data }: Data<'run.rolledBack'>, __, { past }) => [
    { type: 'rollback', ...data, past: past(data.to) },
  ],
  'run.forked': async ({ at: atSeq, idle = 0, ...data }: Data<'run.forked'>, place, sources) => {
    const moved = migrationOf(place);
    const onto = moved === undefined ? {} : { onto: { to: await sources.program(moved.to), mapping: moved.mapping } };
    // A log of before idle time was told counted all of it.
    const { commit, run } = place;
    const lastAt = run.executingSince === undefined ? {} : { lastAt: commitMillis(commit.at) - idle };
    return [{ type: 'fork', ...data, atSeq, ...onto, ...lastAt }];
  },
  'run.migrated': async ({ from: _, to, ...data }: Data<'run.migrated'>, __, { program }) => [
    { type: 'migrate', ...data, to: await program(to) },
  ],
  'memory.written': ({ key, values, scope }: Data<'memory.written'>) =>
    scope === 'run' ? [{ type: 'memory', key, values, reason: 'edited' }] : undefined,
  'memory.removed': ({ key, reason }: Data<'memory.removed'>) => [{ type: 'memory', key, reason }],
  'note.added': ({ text }: Data<'note.added'>) => [{ type: 'note', text }],
  'payload.erased': (data: Data<'payload.erased'>) => [{ type: 'erased', ...data }],
};

function isLookedUp(run: Run, ref: OpRef & Pick<Data<'request.opened'>, 'digest' | 'definition'>): boolean {
  const at = run.tokens.get(ref.token)?.at;
  if (ref.op !== 'ask#1' || ref.digest !== undefined || ref.definition !== undefined) return false;
  if (at?.kind !== 'node' || at.node !== ref.node) return false;
  return at.status === 'running' && at.journal.size === 0;
}

function recalled({ term }: Run, { token, node, visit }: NodeRef, entry?: MemoryEntry): CommandBody {
  const end = entry === undefined ? { type: 'recalled' as const } : { type: 'recalled' as const, entry };
  return { type: 'report', term, token, node, visit, ops: [], end };
}

function start(data: Data<'run.started'>, { commit }: Place): CommandBody {
  const { graph: _, version: __, entry: ___, state: ____, zone: _____, by: ______, turns, ...given } = data;
  const [, second, third] = commit.events;
  const isTaken = second?.type === 'place.taken';
  const next = isTaken ? third : second;
  const { view } = (isTaken ? second.data : {}) as Partial<Data<'place.taken'>>;
  const turn = turns === undefined ? {} : { turns: isTaken ? ('taken' as const) : ('queued' as const) };
  const { owner, build } = (next?.type === 'run.claimed' ? next.data : {}) as Partial<Data<'run.claimed'>>;
  const seen = view === undefined ? {} : { view };
  return {
    type: 'start',
    ...given,
    ...turn,
    ...seen,
    ...(owner === undefined ? {} : { claim: { owner, build: build ?? '' } }),
  };
}

/** How many crashes were too many was a setting of that process; what it did says where the line was. */
function claims({ owner, build, idle = 0 }: Data<'run.claimed'>, { commit, index, run }: Place): CommandBody[] {
  const crashes = commit.events.slice(index).flatMap(({ type, data }) => {
    const isLoop = type !== 'run.claimed' && isJsonObject(data.error) && data.error.code === 'CrashLoop';
    const at = isLoop ? run.tokens.get((data as unknown as NodeRef).token)?.at : undefined;
    return at?.kind === 'node' ? [at.crashes + 1] : [];
  });
  return [...new Set(crashes), Number.MAX_SAFE_INTEGER].map(crashLimit => ({
    type: 'claim',
    owner,
    build,
    crashLimit,
    lastAt: commitMillis(commit.at) - idle,
  }));
}

function edit({ token, reason }: Data<'run.edited'>, { commit }: Place): CommandBody {
  const changed = commit.events.find(({ type, data }) => type === 'state.changed' && data.token === token);
  const { changes } = (changed?.data ?? { changes: [] }) as unknown as Data<'state.changed'>;
  const set = Object.fromEntries(changes.flatMap(({ key, op, value }) => (op === 'remove' ? [] : [[key, value]])));
  const remove = changes.flatMap(({ key, op }) => (op === 'remove' ? [key] : []));
  return { type: 'edit', token, reason, set: set as JsonObject, ...(remove.length === 0 ? {} : { remove }) };
}

function migrationOf({ commit }: Place): Data<'run.migrated'> | undefined {
  return commit.events.find(({ type }) => type === 'run.migrated')?.data as Data<'run.migrated'> | undefined;
}
