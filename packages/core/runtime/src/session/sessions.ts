import type { Principal, Run, RunEvent, SessionView } from '@signalbox/kernel';
import {
  type Append,
  type Clock,
  type CommitBatch,
  type CommitOptions,
  type EventStore,
  type IdGenerator,
  storeErrors,
} from '@signalbox/ports';
import type { Payload } from '../log/payload.ts';
import { externalize } from '../log/payloads.ts';
import type { StreamWriter } from '../log/stream-writer.ts';
import { StreamWriters } from '../log/stream-writers.ts';
import type { MemoryEvent } from '../memory/memory-fold.ts';
import { opening, type UserMemories } from '../memory/user-memories.ts';
import { mirrored } from './mirrored-events.ts';
import type { SessionEvent } from './session-event.ts';
import { type SessionPlace, unknownSession } from './session-id.ts';
import { isTurnOf, nextRuns, SESSION, type SessionRecord } from './session-record.ts';

export interface SessionsDeps {
  readonly store: EventStore;
  readonly clock: Clock;
  readonly users: UserMemories;
  readonly ids: IdGenerator;
  /** Messages over it stand apart from the log. */
  readonly payloadLimit: number;
  schedule(runId: string, at: number): void;
}

/** Of a run's commit, and what goes into its session beside what its events say by themselves. */
export interface SaidByRun {
  readonly events: readonly RunEvent[];
  readonly actor: Principal;
  readonly session?: readonly SessionEvent[] | undefined;
}

/**
 * The sessions that this process has to do with.
 *  1. What a run's commit says to its session is in one batch with it; without a session there is no batch but its own.
 *  2. A place is taken only where the session's stream, as it is in that commit, says that it is the run's turn.
 *  3. Whose turn it is then is told to the host; whoever is not told finds it at a sweep.
 */
export class Sessions {
  readonly #deps: SessionsDeps;
  readonly #writers: StreamWriters<SessionRecord>;

  constructor(deps: SessionsDeps) {
    this.#deps = deps;
    const { store, clock, ids, payloadLimit } = deps;
    this.#writers = new StreamWriters(store, clock, SESSION, commit =>
      externalize(
        commit,
        () => ids.uuid(),
        payloadLimit,
        ({ type }) => type === 'message.added',
      ),
    );
  }

  writer(id: string): StreamWriter<SessionRecord> {
    return this.#writers.of(id);
  }

  /** The session as it is now; one that has not begun is empty. @throws SignalboxError `UnknownSession` of another tenant's */
  async current(id: string, tenant: string): Promise<SessionRecord> {
    return (await this.#read(id, tenant)).folded;
  }

  async #read(id: string, tenant: string): Promise<StreamWriter<SessionRecord>> {
    const writer = this.writer(id);
    await writer.refresh();
    if (writer.seq > 0 && writer.folded.tenant !== tenant) throw unknownSession(id);
    return writer;
  }

  async isTurn(id: string, run: string): Promise<boolean> {
    const writer = this.writer(id);
    await writer.refresh();
    return isTurnOf(writer.folded, run);
  }

  /** As this process knows it: whoever commits on it is told when it was not so. */
  seemsTurn({ id, session }: Run): boolean {
    return session !== undefined && isTurnOf(this.writer(session).folded, id);
  }

  /** What a run whose turn it is has not seen yet. */
  news({ session, sessionView }: Pick<Run, 'session' | 'sessionView'>): SessionView | undefined {
    if (session === undefined) return undefined;
    const { changedSeq: seq, state, metadata } = this.writer(session).folded;
    return seq === 0 || sessionView?.seq === seq ? undefined : { seq, state, metadata };
  }

  /** @throws StoreConflict naming the session's stream when it is not the run's turn any more. */
  async commit(run: Run, by: SaidByRun, batch: CommitBatch, options: CommitOptions): Promise<void> {
    const { events, actor, session = [] } = by;
    const said = run.session === undefined ? [] : [...session, ...mirrored(run.id, events)];
    const commit = (appends: readonly Append[], more: readonly Payload[] = []) => {
      const payloads = [...(batch.payloads ?? []), ...ofTenant(run.tenant, more)];
      return this.#withUser(run, by, appends, payloads.length === 0 ? batch : { ...batch, payloads }, options);
    };
    if (run.session === undefined || said.length === 0) return await commit([]);
    const writer = this.writer(run.session);
    await writer.write(
      (record, seq) => whatIsSaid(run, said, record, seq),
      actor,
      (append, _events, payloads) => commit([append], payloads),
    );
    if (said.some(({ type }) => type.startsWith('place.'))) this.#wakeNext(writer.folded);
  }

  /** What the user of the run answered goes into that user's memory with it. */
  async #withUser(
    run: Run,
    { events, actor }: SaidByRun,
    appends: readonly Append[],
    batch: CommitBatch,
    options: CommitOptions,
  ): Promise<void> {
    const { store, users } = this.#deps;
    const commit = (more: readonly Append[]) =>
      store.commit({ ...batch, appends: [...batch.appends, ...appends, ...more] }, options);
    const written = run.user === undefined ? [] : events.filter(isOfUser);
    if (run.user === undefined || written.length === 0) return await commit([]);
    const owner = { tenant: run.tenant, user: run.user };
    await users.writer(owner).write(
      (_, seq) => opening(owner, written, seq),
      actor,
      append => commit([append]),
    );
  }

  /** @throws SignalboxError `UnknownSession` */
  async append(
    { id, tenant }: SessionPlace,
    decide: (record: SessionRecord) => readonly SessionEvent[],
    by: Principal,
  ): Promise<void> {
    const writer = await this.#read(id, tenant);
    if (writer.seq === 0) throw unknownSession(id);
    const { store } = this.#deps;
    await writer.write(decide, by, (append, _events, payloads) =>
      store.commit({ appends: [append], payloads: ofTenant(tenant, payloads) }, { sync: true }),
    );
  }

  /** Another process has written to the session. */
  async follow(id: string): Promise<void> {
    const writer = this.#writers.kept(id);
    if (writer === undefined) return;
    await writer.refresh();
    this.#wakeNext(writer.folded);
  }

  #wakeNext(record: SessionRecord): void {
    for (const run of nextRuns(record)) this.#deps.schedule(run, this.#deps.clock.now());
  }
}

function ofTenant(tenant: string, payloads: readonly Payload[]) {
  return payloads.map(payload => ({ tenant, ...payload }));
}

function isOfUser(event: RunEvent): event is Extract<MemoryEvent, { type: 'memory.written' }> {
  return event.type === 'memory.written' && event.data.scope === 'user';
}

function whatIsSaid(
  run: Run,
  said: readonly SessionEvent[],
  record: SessionRecord,
  seq: number,
): readonly SessionEvent[] {
  if (seq > 0 && record.tenant !== run.tenant) throw unknownSession(run.session!);
  if (said.some(({ type }) => type === 'place.taken') && !isTurnOf(record, run.id))
    throw storeErrors.lostUpdate(run.session!, seq, seq);
  if (seq > 0) return said;
  const { tenant, user } = run;
  return [{ type: 'session.opened', data: { tenant, ...(user === undefined ? {} : { user }) } }, ...said];
}
