import {
  assertJsonValue,
  checkOptions,
  FUNCTION,
  fromStandardSchema,
  invalidArgument,
  type JsonValue,
  marksSensitive,
  SignalboxError,
  TEXT,
  type Validator,
} from '@signalbox/kernel';
import type { EventStore, Page, RequestQuery, RequestRow, RunQuery, RunRow } from '@signalbox/ports';
import {
  ACTIVE,
  type AnswerInput,
  answerRequest,
  type ClaimOptions,
  type Committed,
  claimRequest,
  DELIVERY_LEASE,
  Engine,
  isDelivered,
  type Observer,
  Publisher,
  type RegisteredGraph,
  type RewrapReport,
  releaseRequest,
  rewrapKeys,
  ServiceResolvers,
  withdrawRequest,
} from '@signalbox/runtime';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Graph } from '../builder/graph.ts';
import { requestCodec } from '../builder/request-codec.ts';
import type { Act } from './act.ts';
import { BOX_OPTIONS, type BoxOptions } from './box-options.ts';
import { ACT, ANSWER, assertGraphOrName, CLAIM, CLOSE, FEED, INBOX, LISTENER, RUNS, START } from './call-options.ts';
import { Deliveries, listenerChannel, type RequestListener } from './deliveries.ts';
import type { ListenerOptions } from './delivery-options.ts';
import { EndLines } from './end-lines.ts';
import { type FeedEntry, feedOf } from './feed.ts';
import { MemoryHandle, type MemoryOf } from './memory-handle.ts';
import { type Actor, toPrincipal } from './principal.ts';
import { RunHandle } from './run-handle.ts';
import { type SessionHandle, SessionsOfBox } from './session-handle.ts';
import type { GraphChoice, StartOptions } from './start-options.ts';

/** A signal box: graphs, their runs and the questions they ask. */
export class Signalbox {
  readonly engine: Engine;
  /** Messages about requests that are not delivered. */
  readonly deliveries: Deliveries;
  readonly sessions: SessionsOfBox;
  readonly #publisher: Publisher;
  readonly #resolvers: ServiceResolvers;
  readonly #ends: EndLines | undefined;

  /** @throws SignalboxError `InvalidOptions`, `MetadataSensitive`, and what `register` throws of a graph */
  constructor(options: BoxOptions) {
    checkOptions('Signalbox', options, BOX_OPTIONS, ['store', 'host', 'clock', 'ids']);
    const { graphs = [], types = [], channels = [], resolvers = {}, logger, ...rest } = options;
    const { deliveryLease: lease = DELIVERY_LEASE, sessionMetadata, ...engine } = rest;
    const metadata = sessionMetadata === undefined ? {} : { sessionMetadata: validatorOfMetadata(sessionMetadata) };
    const observer = this.#following(engine.observer);
    this.engine = new Engine({ ...engine, ...metadata, observer, codec: requestCodec });
    this.deliveries = new Deliveries(this.engine, () => this.#publisher.lookAgain());
    this.sessions = new SessionsOfBox(this.engine, async (graph, chosen) => {
      await this.#publisher.begin();
      return await this.#chosen(graph, chosen);
    });
    const { store, clock, owner } = this.engine;
    this.#publisher = new Publisher({
      store,
      clock,
      owner,
      lease,
      program: version => this.engine.graphs.program(version),
      onError: (error, where) => observer.onError?.(error, where),
    });
    this.#resolvers = new ServiceResolvers(this.engine, clock, resolvers, (error, runId) =>
      observer.onError?.(error, { runId }),
    );
    const tellOfEnd = (error: unknown, runId: string) => observer.onError?.(error, { runId });
    this.#ends = logger === undefined ? undefined : new EndLines({ logger, store, onError: tellOfEnd });
    for (const channel of channels) this.#publisher.add(channel);
    for (const type of types) this.engine.graphs.addHandler(type.key, type.handler);
    for (const graph of graphs) this.engine.register(graph as unknown as RegisteredGraph);
  }

  /** Publishing begins as soon as there is something to publish, and so does a service's turn; a run waits for neither. */
  #following(observer: Observer = {}): Observer {
    return {
      ...observer,
      committed: (commit: Committed, run) => {
        if (commit.events.some(isDelivered)) this.#publisher.wake();
        this.#resolvers.committed(commit);
        this.#ends?.committed(commit, run.graph);
        observer.committed?.(commit, run);
      },
    };
  }

  get store(): EventStore {
    return this.engine.store;
  }

  /**
   * Waits for the services that this process is asking about the run by now: nobody else would hear what they say. False
   * when there are none.
   */
  async servicesAnswered(runId: string): Promise<boolean> {
    const underWay = this.#resolvers.answered(runId);
    await underWay;
    return underWay !== undefined;
  }

  /** Finds what an earlier process left behind and begins to drive it. `start` and `answer` do it by themselves. */
  async ready(): Promise<this> {
    await this.#publisher.begin();
    await this.engine.ready();
    return this;
  }

  /** Resolves when the start is durable. The same key, graph and input give the same run. */
  async start<Input, Output>(
    graph: Graph<Input, Output> | string,
    input: Input,
    options: StartOptions = {},
  ): Promise<RunHandle<Output>> {
    assertGraphOrName('box.start', graph);
    checkOptions('box.start', options, START);
    await this.#publisher.begin();
    const { as, ...rest } = options;
    const value: JsonValue = assertJsonValue(input, 'The input');
    const chosen = await this.#chosen(graph as unknown as Graph<never, never> | string, rest);
    const id = await this.engine.start(chosen.graph, value, {
      ...rest,
      ...(chosen.label === undefined ? {} : { label: chosen.label }),
      ...(as === undefined ? {} : { as: toPrincipal(as) }),
    });
    return new RunHandle<Output>(this.engine, id);
  }

  async #chosen(
    graph: Graph<never, never> | string,
    options: Pick<StartOptions, 'tenant' | 'label'>,
  ): ReturnType<GraphChoice> {
    return typeof graph === 'string'
      ? await this.#active(graph, options)
      : { graph: this.#known(graph as unknown as RegisteredGraph) };
  }

  /** By name a run begins with the version that is active; where none is, with the one of this process. */
  async #active(
    name: string,
    options: Pick<StartOptions, 'tenant' | 'label'>,
  ): Promise<{ graph: Pick<RegisteredGraph, 'name' | 'program'>; label?: string }> {
    const label = options.label ?? ACTIVE;
    const version = await this.engine.labels.versionOf(options.tenant ?? 'default', name, label);
    if (version !== undefined) return { graph: { name, program: await this.engine.graphs.program(version) }, label };
    if (options.label === undefined) return { graph: this.engine.graphs.named(name) };
    throw new SignalboxError('UnknownLabel', `Graph "${name}" has no version labelled "${label}".`, {
      hint: 'See `signalbox graph list`.',
    });
  }

  #known(graph: RegisteredGraph): RegisteredGraph {
    this.engine.register(graph);
    return graph;
  }

  /** A handle on a run. Whether it exists shows when it is used. */
  get<Output = JsonValue>(runId: string): RunHandle<Output> {
    return new RunHandle<Output>(this.engine, runId);
  }

  /** What is remembered of answers in a run, in a session or of a user. */
  memory(of: MemoryOf): MemoryHandle {
    return new MemoryHandle(this.engine, of);
  }

  /** A handle on a session. Whether it exists shows when it is used. */
  session(id: string, options: { readonly tenant?: string } = {}): SessionHandle {
    return this.sessions.get(id, options);
  }

  /**
   * Answers a request. Accepted once; the same key with the same content gets the stored outcome. What its run gives is
   * not known from a request's id: the view fits wherever a view of the run is held, or name the type.
   */
  async answer<Output = never>(
    requestId: string,
    input: AnswerInput & { readonly as?: Actor } = {},
  ): Promise<RunHandle<Output>> {
    checkOptions('box.answer', input, ANSWER);
    await this.#publisher.begin();
    const { as, ...content } = input;
    const runId = await answerRequest(this.engine, requestId, content, toPrincipal(as));
    return new RunHandle<Output>(this.engine, runId);
  }

  /** Says who means to answer, and keeps the others off; `takeOver` takes it from whoever has claimed it. */
  async claim(requestId: string, options: ClaimOptions & { readonly as?: Actor } = {}): Promise<RunHandle> {
    checkOptions('box.claim', options, CLAIM);
    const { as, ...claim } = options;
    return this.get(await claimRequest(this.engine, requestId, claim, toPrincipal(as)));
  }

  /** Gives a claimed request back. */
  async release(requestId: string, act: Act = {}): Promise<RunHandle> {
    checkOptions('box.release', act, ACT);
    return this.get(await releaseRequest(this.engine, requestId, act.reason, toPrincipal(act.as)));
  }

  /** Takes a question back: its node goes on as after `cancel`, with the reason as note. */
  async withdraw(requestId: string, act: Act = {}): Promise<RunHandle> {
    checkOptions('box.withdraw', act, ACT);
    return this.get(await withdrawRequest(this.engine, requestId, act.reason ?? 'withdrawn', toPrincipal(act.as)));
  }

  /** Open questions, oldest first. */
  async inbox(query: Partial<RequestQuery> = {}): Promise<Page<RequestRow>> {
    checkOptions('box.inbox', query, INBOX);
    return await this.store.requests({ tenant: 'default', status: 'open', ...query });
  }

  /** Runs, newest first. */
  async runs(query: Partial<RunQuery> = {}): Promise<Page<RunRow>> {
    checkOptions('box.runs', query, RUNS);
    return await this.store.runs({ tenant: 'default', ...query });
  }

  /**
   * Events of all runs in commit order, from after a cursor; ends when there is no more for now. A commit that cannot be
   * read is one row that says so, and the feed goes on.
   */
  feed(options: { readonly after?: string } = {}): AsyncGenerator<FeedEntry> {
    checkOptions('box.feed', options, FEED);
    return feedOf(this.store, options.after);
  }

  /**
   * Calls `listener` at least once for each thing that happens to a request, after it is stored. `name` names its record,
   * so that it goes on where it left off after a crash; processes that listen under one name share the work. Returns the
   * way to stop listening.
   */
  onRequest(name: string, listener: RequestListener, options: ListenerOptions = {}): () => Promise<void> {
    if (!TEXT.fits(name)) throw invalidArgument('box.onRequest', 'name', TEXT.what, name);
    if (!FUNCTION.fits(listener)) throw invalidArgument('box.onRequest', 'listener', FUNCTION.what, listener);
    checkOptions('box.onRequest', options, LISTENER);
    return this.#publisher.add(listenerChannel(name, listener, options));
  }

  /**
   * Wraps the keys of all runs under the present key of `keys`; where the report is `ok`, those before it may be dropped.
   * One that was interrupted goes on when it is called again.
   */
  async rewrapKeys(): Promise<RewrapReport> {
    return await rewrapKeys(this.store, this.engine.keys);
  }

  /**
   * Stops in good order: what is at work may end, what is to be published may be sent, and the rest is found again at the
   * next start.
   */
  async close(options: { readonly grace?: number } = {}): Promise<void> {
    checkOptions('box.close', options, CLOSE);
    const { grace = 5_000 } = options;
    this.#resolvers.stop();
    await this.engine.stop(grace);
    await this.#publisher.stop(grace);
    await this.#ends?.logged();
    await this.store.close();
  }
}

/** @throws SignalboxError `MetadataSensitive` */
function validatorOfMetadata(schema: StandardSchemaV1): Validator {
  const validator = fromStandardSchema(schema);
  if (!marksSensitive(validator.json)) return validator;
  throw new SignalboxError(
    'MetadataSensitive',
    'The schema of the metadata of sessions marks something as sensitive.',
    {
      hint: 'Metadata stand in the log of the session as they are. Give what is sensitive to a run, as its input.',
    },
  );
}
