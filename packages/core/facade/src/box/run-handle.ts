import type { CommandBody, JsonObject, JsonValue, Principal } from '@signalbox/kernel';
import { assertJsonValue, checkOptions, stateObject } from '@signalbox/kernel';
import {
  type AnswerInput,
  answerRun,
  type CommandExtras,
  commitsFrom,
  type Effects,
  type Engine,
  erasePayload,
  type ForkOptions,
  forkRun,
  KEY_PLACE,
  type NodeView,
  nodeView,
  payloadsOf,
  type ReExecution,
  type RunView,
  readCommits,
  reExecuteRun,
  rollbackRun,
  runView,
  type TextFollower,
} from '@signalbox/runtime';
import type { Act } from './act.ts';
import {
  ACT,
  ANSWER_OF_RUN,
  CANCEL,
  EDIT,
  EVENTS,
  FORK,
  JUMP,
  MIGRATE,
  NOTE,
  RETRY,
  ROLLBACK,
  SIGNAL,
  STATE,
  TOKEN,
} from './call-options.ts';
import { type Actor, toPrincipal } from './principal.ts';

/** A run's view with the types of its graph: `output` is there exactly when it is completed. */
export type RunStatusView<Output> =
  | Exclude<RunView, { status: 'completed' }>
  | (Extract<RunView, { status: 'completed' }> & { readonly output: Output });

export interface RunEventRow {
  readonly id: string;
  readonly seq: number;
  readonly at: string;
  readonly actor: Principal;
  readonly type: string;
  readonly data: JsonObject;
}

/** Partial text of a model's reply: no fact, and gone when it was not looked at. */
export interface TextRow {
  readonly type: 'text';
  readonly durable: false;
  readonly node: string;
  readonly delta: string;
}

export type StreamRow = (RunEventRow & { readonly durable: true }) | TextRow;

const ENDED: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled']);
const ENDINGS: ReadonlySet<string> = new Set(['run.completed', 'run.failed', 'run.cancelled']);

/** One run, by id. Holding a handle costs nothing and keeps nothing alive. */
export class RunHandle<Output = JsonValue> {
  readonly id: string;
  readonly #engine: Engine;

  constructor(engine: Engine, id: string) {
    this.#engine = engine;
    this.id = id;
  }

  /** Resolves once the run waits, is paused or has ended. */
  async settled(): Promise<RunStatusView<Output>> {
    await this.#engine.settled(this.id);
    return await this.view();
  }

  /** How the run stands now. One that nobody can go on with for want of code is suspended as `handlerMissing`. */
  async view(): Promise<RunStatusView<Output>> {
    const { run, program } = await this.#engine.view(this.id);
    const view = runView(run, program) as RunStatusView<Output>;
    if (view.status !== 'running') return view;
    const handlers = await this.#engine.missingHandlers(this.id);
    return handlers.length === 0
      ? view
      : { ...view, status: 'suspended', reason: 'handlerMissing', details: { handlers } };
  }

  /** The state of a scope (default the root), as it is or as of a sequence number. */
  async state(options: { readonly at?: number; readonly token?: string } = {}): Promise<JsonObject> {
    checkOptions('run.state', options, STATE);
    const { run } = await this.#engine.view(this.id, options.at);
    const token = run.tokens.get(options.token ?? '');
    return token === undefined ? {} : { ...stateObject(token.state) };
  }

  /**
   * The last visit of a node: status, input beside output or error, attempts; undefined when it was never visited. `token`
   * narrows to one branch, item or subgraph.
   */
  async node(name: string, options: { readonly token?: string } = {}): Promise<NodeView | undefined> {
    checkOptions('run.node', options, TOKEN);
    return await nodeView(readCommits(this.#engine.store, this.id), name, options.token);
  }

  /**
   * Executes the whole run once more from its log with the code of this process, and compares: the same events have to
   * come out. Nothing is written and nothing is done to the world.
   */
  async reExecute(): Promise<ReExecution> {
    return await reExecuteRun(this.#engine, this.id);
  }

  /** The run's events, oldest first, read in pages. */
  async *events(options: { readonly fromSeq?: number } = {}): AsyncGenerator<RunEventRow> {
    checkOptions('run.events', options, EVENTS);
    const from = options.fromSeq ?? 1;
    for await (const { commit } of commitsFrom(this.#engine.store, this.id, from))
      for (const [index, event] of commit.events.entries()) {
        const seq = commit.firstSeq + index;
        if (seq >= from)
          yield {
            id: `${this.id}.${seq}`,
            seq,
            at: commit.at,
            actor: commit.actor,
            type: event.type,
            data: event.data,
          };
      }
  }

  /**
   * The run's events as they become durable, from `fromSeq` on; ends when the run has ended. Among them, where this process
   * drives the run, the text of its models as it comes.
   */
  async *stream(options: { readonly fromSeq?: number } = {}): AsyncGenerator<StreamRow> {
    checkOptions('run.stream', options, EVENTS);
    const texts = this.#engine.followText(this.id);
    try {
      yield* this.#streamed(options.fromSeq ?? 1, texts);
    } finally {
      texts.stop();
    }
  }

  async *#streamed(fromSeq: number, texts: TextFollower): AsyncGenerator<StreamRow> {
    let next = fromSeq;
    for (;;) {
      const changed = this.#engine.nextChange(this.id);
      // The row before the events: what it says has ended has its last event in what is read after it.
      const row = await this.#engine.store.run(this.id);
      let ended = false;
      for await (const event of this.events({ fromSeq: next })) {
        for (const text of texts.before(event.seq)) yield toRow(text);
        next = event.seq + 1;
        ended ||= ENDINGS.has(event.type);
        yield { ...event, durable: true };
      }
      if (row === undefined || ENDED.has(row.status)) return;
      // Either the row says so by now, or the run goes on again.
      if (ended) continue;
      for (let isText = true; isText; ) {
        for (const text of texts.before(next)) yield toRow(text);
        isText = await Promise.race([texts.arrives().then(() => true), changed.then(() => false)]);
      }
    }
  }

  /** Answers the one open question, or the one named by `request`. */
  async answer(input: AnswerInput & { readonly request?: string; readonly as?: Actor }): Promise<this> {
    checkOptions('run.answer', input, ANSWER_OF_RUN);
    const { as, ...content } = input;
    await answerRun(this.#engine, this.id, content, toPrincipal(as));
    return this;
  }

  async signal(
    name: string,
    value: JsonValue = null,
    options: { readonly id?: string; readonly as?: Actor } = {},
  ): Promise<this> {
    checkOptions('run.signal', options, SIGNAL);
    const { id, as } = options;
    const body = { type: 'signal' as const, name, value };
    if (id === undefined) return await this.#steer(body, { as });
    const commandId = { id: `signal:${id}`, outcome: () => '{}' };
    const isKnown = async () => (await this.#engine.store.commandOutcome(this.id, commandId.id)) !== undefined;
    if (await isKnown()) return this;
    try {
      await this.#engine.command(this.id, { ...body, id }, toPrincipal(as), { commandId });
    } catch (error) {
      // Sent twice at once: whichever comes second sees what the first has left.
      if (!(await isKnown())) throw error;
    }
    return this;
  }

  async pause(act: Act = {}): Promise<this> {
    checkOptions('run.pause', act, ACT);
    return await this.#steer({ type: 'pause', reason: act.reason ?? 'paused' }, act);
  }

  async resume(act: Act = {}): Promise<this> {
    checkOptions('run.resume', act, ACT);
    return await this.#steer({ type: 'resume', reason: act.reason ?? 'resumed' }, act);
  }

  /** Lets one node start while the run is paused. */
  async step(act: Act = {}): Promise<this> {
    checkOptions('run.step', act, ACT);
    return await this.#steer({ type: 'step', reason: act.reason ?? 'stepped' }, act);
  }

  /** Goes on where the run failed, or begins the named node anew. */
  async retry(act: Act & { readonly node?: string } = {}): Promise<this> {
    checkOptions('run.retry', act, RETRY);
    const { node, reason = 'retried' } = act;
    return await this.#steer({ type: 'retry', reason, ...(node === undefined ? {} : { node }) }, act);
  }

  /** Sets state keys as they are; the state must stay valid. */
  async edit(
    set: JsonObject,
    act: Act & { readonly token?: string; readonly remove?: readonly string[] } = {},
  ): Promise<this> {
    checkOptions('run.edit', act, EDIT);
    const { token, remove, reason = 'edited' } = act;
    return await this.#steer(
      {
        type: 'edit',
        set,
        reason,
        ...(token === undefined ? {} : { token }),
        ...(remove === undefined ? {} : { remove }),
      },
      act,
    );
  }

  async jump(to: string, act: Act & { readonly token?: string } = {}): Promise<this> {
    checkOptions('run.jump', act, JUMP);
    const { token, reason = 'jumped' } = act;
    return await this.#steer({ type: 'jump', to, reason, ...(token === undefined ? {} : { token }) }, act);
  }

  async cancel(act: Act & { readonly compensate?: boolean } = {}): Promise<this> {
    checkOptions('run.cancel', act, CANCEL);
    const { compensate = false, reason = 'cancelled' } = act;
    return await this.#steer({ type: 'cancel', reason, compensate }, act);
  }

  async reopen(act: Act = {}): Promise<this> {
    checkOptions('run.reopen', act, ACT);
    return await this.#steer({ type: 'reopen', reason: act.reason ?? 'reopened' }, act);
  }

  async note(text: string, act: Pick<Act, 'as'> = {}): Promise<this> {
    checkOptions('run.note', act, NOTE);
    return await this.#steer({ type: 'note', text }, act);
  }

  /** Moves the run to another version of its graph, whose nodes it has been at must be there or be mapped. */
  async migrate(
    version: string,
    act: Act & { readonly mapping?: Readonly<Record<string, string>> } = {},
  ): Promise<this> {
    checkOptions('run.migrate', act, MIGRATE);
    const { graphs, clock } = this.#engine;
    const to = await graphs.program(version);
    const { mapping = {}, reason = 'migrated' } = act;
    assertJsonValue({ mapping, reason }, 'The migration');
    return await this.#steer({ type: 'migrate', to, mapping, reason }, act, {
      documents: graphs.documents(to, clock.now()),
    });
  }

  /** A new run with this run's past up to `at`. */
  async fork(options: ForkOptions & { readonly as?: Actor } = {}): Promise<RunHandle<Output>> {
    checkOptions('run.fork', options, FORK);
    const { as, ...fork } = options;
    const id = await forkRun(this.#engine, this.id, fork, toPrincipal(as));
    const child = new RunHandle<Output>(this.#engine, id);
    await this.#engine.wake(id);
    return child;
  }

  /** Sets the run back to an earlier point, in place. */
  async rollback(to: number, act: Act & { readonly effects?: Effects } = {}): Promise<this> {
    checkOptions('run.rollback', act, ROLLBACK);
    const { as, ...options } = act;
    await rollbackRun(this.#engine, this.id, { to, ...options }, toPrincipal(as));
    return this;
  }

  /** The large values of this run, which stand in the log as references, each with the event that holds it. */
  async *payloads(): AsyncGenerator<{ readonly digest: string; readonly seq: number; readonly type: string }> {
    for await (const { lean } of commitsFrom(this.#engine.store, this.id))
      for (const [index, event] of lean.events.entries())
        for (const digest of payloadsOf(lean, index)) yield { digest, seq: lean.firstSeq + index, type: event.type };
  }

  /**
   * Deletes the bytes of a payload; the log still verifies, and the value reads as erased, in this run and in every other
   * that shares it (its forks, its parent, copies).
   * @throws SignalboxError `UnknownPayload` when no event of this run refers to it.
   */
  async erase(digest: string, act: Act = {}): Promise<this> {
    checkOptions('run.erase', act, ACT);
    await erasePayload(this.#engine, this.id, digest, act.reason ?? 'erased', toPrincipal(act.as));
    return this;
  }

  /**
   * Drops the run's key: whatever was sensitive in it so far reads as erased, in every run that shares it, for good; views
   * keep their masks and the log still verifies.
   */
  async eraseSensitive(act: Act = {}): Promise<this> {
    checkOptions('run.eraseSensitive', act, ACT);
    const keys = new Set<string>();
    for await (const { lean } of commitsFrom(this.#engine.store, this.id)) {
      const key = lean.refs?.[KEY_PLACE];
      if (key !== undefined) keys.add(key);
    }
    for (const key of keys) await this.erase(key, act);
    return this;
  }

  async #steer(body: CommandBody, act: Pick<Act, 'as'>, extras: CommandExtras = {}): Promise<this> {
    await this.#engine.command(this.id, body, toPrincipal(act.as), extras);
    return this;
  }
}

function toRow({ node, delta }: { readonly node: string; readonly delta: string }): TextRow {
  return { type: 'text', durable: false, node, delta };
}
