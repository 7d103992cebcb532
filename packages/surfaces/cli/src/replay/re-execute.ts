import { Signalbox } from '@signalbox/core';
import { createEmbeddedHost, createIdGenerator, createSystemClock } from '@signalbox/host-embedded';
import {
  type Commit,
  commitMillis,
  foldCommits,
  type GraphDefinition,
  initialState,
  type Run,
} from '@signalbox/kernel';
import type { Clock, EventStore } from '@signalbox/ports';
import { type CommittedEvent, compareHistories, eventsOf, readCommits, runRow, toAppend } from '@signalbox/runtime';
import { createMemoryStore } from '@signalbox/store-memory';
import type { Build } from './build.ts';
import { sparedHandler, type Undone } from './spared-handler.ts';

/** Where a handler waits, and the number of the event with which it began to. */
export interface WaitingPlace {
  readonly token: string;
  readonly node: string;
  readonly visit: number;
  readonly seq: number;
}

/** A handler has this long, ms, to come to its wait again. */
const PATIENCE_MS = 3_000;

/** The handlers of a run that wait, each with its last suspension. */
export async function waitingPlaces(history: readonly Commit[], run: Run): Promise<readonly WaitingPlace[]> {
  const last = new Map<string, WaitingPlace>();
  for await (const { seq, event } of eventsOf(history))
    if (event.type === 'node.suspended') {
      const { token, node, visit } = event.data as unknown as WaitingPlace;
      last.set(`${token}/${node}#${visit}`, { token, node, visit, seq });
    }
  return [...run.tokens.values()].flatMap(({ id, at }) =>
    at.kind === 'node' && at.status === 'waiting' ? (last.get(`${id}/${at.node}#${at.visit}`) ?? []) : [],
  );
}

/**
 * Executes a waiting handler once more from its first line to where it waits, on a copy in memory at the time of then:
 * recorded operations give what they gave, no other is done. Tells in one line what it does otherwise now.
 */
export async function reExecute(
  history: readonly Commit[],
  place: WaitingPlace,
  definition: GraphDefinition,
  build: Build,
): Promise<string | undefined> {
  const asking = history.find(({ firstSeq, events }) => place.seq < firstSeq + events.length);
  const past = history.filter(({ firstSeq }) => firstSeq < (asking?.firstSeq ?? 0));
  if (asking === undefined || past.length === 0) return undefined;
  const given = await eventsOfPlace(history, place, asking.firstSeq);
  const before = foldCommits(initialState(), past);
  const store = createMemoryStore();
  let undone: string | undefined;
  const { clock, release } = stoppedClock(commitMillis(asking.at));
  const box = boxOf(build, store, clock, (operation, { name, visit }) => {
    if (name === place.node && visit === place.visit) undone ??= operation;
  });
  await putCopy(store, past, before, definition);
  await box.engine.wake(before.id);
  let again: readonly CommittedEvent[] = [];
  for (const last = Date.now() + PATIENCE_MS; Date.now() < last && undone === undefined; ) {
    const row = await store.run(before.id);
    again = await eventsOfPlace(readCommits(store, before.id), place, before.seq + 1);
    if (again.length >= given.length || row?.status !== 'running') break;
    await new Promise(proceed => setTimeout(proceed, 10));
  }
  release();
  await box.close({ grace: 0 });
  if (undone !== undefined) return `before it waits it would now do "${undone}"`;
  return (await compareHistories(given.map(asCommit), again.slice(0, given.length).map(asCommit)))?.text;
}

/** Time stands still, so nothing falls due; once released every alarm rings at once, for the sake of who waits to stop. */
function stoppedClock(now: number): { readonly clock: Clock; readonly release: () => void } {
  const { every, soon } = createSystemClock();
  let released = false;
  const at = (_at: number, fn: () => void) => {
    const timer = released ? setTimeout(fn, 0) : undefined;
    return () => clearTimeout(timer);
  };
  const release = () => {
    released = true;
  };
  return { clock: { now: () => now, at, every, soon }, release };
}

function boxOf(build: Build, store: EventStore, clock: Clock, tell: Undone): Signalbox {
  const spared = new Map([...build.handlers].map(([key, handler]) => [key, sparedHandler(handler, tell)]));
  const box = new Signalbox({
    store,
    clock,
    host: createEmbeddedHost({ clock }),
    ids: createIdGenerator(),
    crashLimit: Number.MAX_SAFE_INTEGER,
    graphs: build.graphs.map(graph => ({ ...graph, handlers: spared })),
  });
  for (const [key, handler] of spared) box.engine.graphs.addHandler(key, handler);
  return box;
}

async function putCopy(store: EventStore, past: readonly Commit[], run: Run, definition: GraphDefinition) {
  const { name } = definition;
  await store.commit(
    {
      appends: past.map(toAppend),
      runs: [runRow(run, run.at)],
      documents: [{ kind: 'graph', name, hash: run.version, createdAt: 0, text: JSON.stringify(definition) }],
    },
    { sync: false },
  );
}

/** What happened to one visit from an event on, up to its next suspension. */
async function eventsOfPlace(
  commits: Iterable<Commit> | AsyncIterable<Commit>,
  { token, node, visit }: WaitingPlace,
  from: number,
): Promise<readonly CommittedEvent[]> {
  const found: CommittedEvent[] = [];
  for await (const committed of eventsOf(commits)) {
    const { data, type } = committed.event;
    if (committed.seq < from || data.token !== token || data.node !== node || data.visit !== visit) continue;
    found.push(committed);
    if (type === 'node.suspended') break;
  }
  return found;
}

function asCommit({ commit, seq, event }: CommittedEvent): Commit {
  return { ...commit, firstSeq: seq, events: [event] };
}
