import { assertJsonValue, checkOptions, type JsonObject, type JsonValue, type MessageRole } from '@signalbox/kernel';
import type { Page, RequestRow, RunRow } from '@signalbox/ports';
import {
  addMessage,
  changeSession,
  type Engine,
  inputOf,
  listSessions,
  type MessageQuery,
  openSession,
  type Point,
  type SessionList,
  type SessionMessage,
  type SessionNow,
  type SessionState,
  sendMessage,
  sessionAt,
  sessionMessages,
  sessionNow,
} from '@signalbox/runtime';
import type { Graph } from '../builder/graph.ts';
import { assertGraphOrName, MESSAGES, OF_TENANT, OPEN_SESSION, PAGE_OF_RUNS, SEND, SESSIONS } from './call-options.ts';
import { type Actor, toPrincipal } from './principal.ts';
import { RunHandle } from './run-handle.ts';
import type { OpenSessionOptions, SendOptions } from './session-options.ts';
import type { GraphChoice } from './start-options.ts';

/** What a message led to: a run that it began, or the run whose question `request` it answered. */
export interface SentMessage<Output> {
  readonly run: RunHandle<Output>;
  readonly request?: string;
}

/** One session, by id. Holding a handle costs nothing; whether it is there shows when it is used. */
export class SessionHandle {
  readonly id: string;
  readonly tenant: string;
  readonly #engine: Engine;
  readonly #choose: GraphChoice;

  constructor(engine: Engine, choose: GraphChoice, id: string, tenant: string) {
    this.id = id;
    this.tenant = tenant;
    this.#engine = engine;
    this.#choose = choose;
  }

  /** As it is now, with its status. */
  view(): Promise<SessionNow> {
    return sessionNow(this.#engine.store, this);
  }

  /** As it was: at a sequence number of its stream, or at a time (RFC 3339). */
  at(point: Point): Promise<SessionState> {
    return sessionAt(this.#engine.store, this, point);
  }

  /** In order, oldest first; the newest where nothing else is said. */
  async messages(query: MessageQuery = {}): Promise<readonly SessionMessage[]> {
    checkOptions('session.messages', query, MESSAGES);
    return sessionMessages(this.#engine.store, this, query);
  }

  /** Its runs, newest first. */
  async runs(query: { readonly after?: string; readonly limit?: number } = {}): Promise<Page<RunRow>> {
    checkOptions('session.runs', query, PAGE_OF_RUNS);
    return await this.#engine.store.runs({ ...query, tenant: this.tenant, session: this.id });
  }

  /** Its open questions, oldest first. */
  async inbox(): Promise<Page<RequestRow>> {
    return await this.#engine.store.requests({ tenant: this.tenant, session: this.id, status: 'open' });
  }

  /**
   * Records a message of a user together with what it leads to.
   * @throws SignalboxError `QuestionOpen` with `whileOpen: 'reject'`
   */
  async send<Input, Output>(
    graph: Graph<Input, Output> | string,
    message: JsonValue,
    options: SendOptions<Input> = {},
  ): Promise<SentMessage<Output>> {
    assertGraphOrName('session.send', graph);
    checkOptions('session.send', options, SEND);
    const { input, whileOpen = 'newRun', as, ...start } = options;
    const { graph: chosen, label } = await this.#choose(graph as unknown as Graph<never, never> | string, {
      ...start,
      tenant: this.tenant,
    });
    const { runId, request } = await sendMessage(this.#engine, this, {
      graph: chosen,
      message,
      input: input === undefined ? inputOf(message) : assertJsonValue(input, 'The input'),
      whileOpen,
      start: { ...start, ...(label === undefined ? {} : { label }) },
      by: toPrincipal(as, { kind: 'system', id: 'start' }),
    });
    const run = new RunHandle<Output>(this.#engine, runId);
    return request === undefined ? { run } : { run, request };
  }

  /** A message that leads to nothing. */
  async add(content: JsonValue, options: { readonly role?: MessageRole; readonly as?: Actor } = {}): Promise<this> {
    const { role = 'user', as } = options;
    await addMessage(this.#engine, this, { role, content }, toPrincipal(as));
    return this;
  }

  /** Sets and removes keys of the session's state, or of its metadata. Its runs see it at their next turn. */
  async update(
    set: JsonObject,
    options: { readonly remove?: readonly string[]; readonly of?: 'state' | 'metadata'; readonly as?: Actor } = {},
  ): Promise<this> {
    const { as, ...change } = options;
    await changeSession(this.#engine, this, { set, ...change }, toPrincipal(as));
    return this;
  }
}

/** The sessions of a box. */
export class SessionsOfBox {
  readonly #engine: Engine;
  readonly #choose: GraphChoice;

  constructor(engine: Engine, choose: GraphChoice) {
    this.#engine = engine;
    this.#choose = choose;
  }

  async open(options: OpenSessionOptions = {}): Promise<SessionHandle> {
    checkOptions('box.sessions.open', options, OPEN_SESSION);
    const { as, ...session } = options;
    const id = await openSession(this.#engine, session, toPrincipal(as));
    return this.get(id, session.tenant === undefined ? {} : { tenant: session.tenant });
  }

  /** In the order of their ids. */
  async list(
    query: { readonly tenant?: string; readonly after?: string; readonly limit?: number } = {},
  ): Promise<SessionList> {
    checkOptions('box.sessions.list', query, SESSIONS);
    const { tenant = 'default', ...page } = query;
    return await listSessions(this.#engine.store, tenant, page);
  }

  get(id: string, options: { readonly tenant?: string } = {}): SessionHandle {
    checkOptions('box.session', options, OF_TENANT);
    return new SessionHandle(this.#engine, this.#choose, id, options.tenant ?? 'default');
  }
}
