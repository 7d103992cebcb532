import {
  type FirstMember,
  type GivenAnswer,
  graphInput,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  outsideScope,
  type RequestDefinition,
  type Run,
  SignalboxError,
  type Task,
  visibleAnswers,
  visibleNodes,
} from '@signalbox/kernel';
import type { EventStore } from '@signalbox/ports';
import { type AgentNode, type AgentWorld, runAgentNode } from '../agent/agent-node.ts';
import { type ToolsOfAgent, undoCalls } from '../agent/undo-calls.ts';
import type { Recall } from '../memory/recall.ts';
import { type MessageQuery, sessionMessages } from '../session/read-session.ts';
import { SessionOfHandler } from '../session/session-context.ts';
import { answersText } from './answers-text.ts';
import type { TaskExecution } from './execution.ts';
import { frozen, frozenView } from './freeze.ts';
import type { Performer } from './performer.ts';
import type { RunOptions } from './run-options.ts';
import { type Schema, schemasOf, validatorOf } from './signal-schema.ts';
import { unminded } from './unminded.ts';

/** How the authoring API's requests become definitions, and answers typed values; the identity by default. */
export interface RequestCodec {
  toDefinition(request: unknown): RequestDefinition;
}

/**
 * The object a handler gets. Everything it reads is as it was when the node started; what it does goes through the
 * execution's journal.
 */
export function createContext(
  execution: TaskExecution,
  run: Run,
  { codec, store, recall, spare, agents }: ContextDeps,
  settings: JsonValue | undefined,
): object {
  const source: Source = { execution, run, codec, store, recall, spare, agents, settings };
  return execution.task.kind === 'compensation' ? new CompensationContext(source) : new HandlerContext(source);
}

interface ContextDeps {
  readonly codec: RequestCodec;
  readonly store?: EventStore;
  readonly recall?: Recall;
  readonly spare?: Performer;
  readonly agents?: AgentWorld;
}

interface Source {
  readonly execution: TaskExecution;
  readonly run: Run;
  readonly codec: RequestCodec;
  readonly store: EventStore | undefined;
  readonly recall: Recall | undefined;
  readonly spare: Performer | undefined;
  readonly agents: AgentWorld | undefined;
  readonly settings: JsonValue | undefined;
}

/**
 * Every part is made when the handler takes it, and handlers take the whole apart (`({ state, update }) => …`): so all
 * are getters, and what does something is a function that needs no `this`.
 */
class HandlerContext {
  readonly #source: Source;
  #run: object | undefined;
  #session: SessionOfHandler | undefined;
  #state: JsonObject | undefined;

  constructor(source: Source) {
    this.#source = source;
  }

  get run() {
    this.#run ??= runOperation(this.#source);
    return this.#run;
  }
  get input() {
    return frozen(graphInput(this.#source.run, this.#source.execution.token));
  }
  get given() {
    return frozen(givenOf(this.#source.execution.task, this.#source.run));
  }
  /** As it was when the node started. */
  get state() {
    const { task, token } = this.#source.execution;
    this.#state ??= frozenView(task.execution?.state ?? token.state);
    return this.#state;
  }
  get nodes() {
    return frozen(visibleNodes(this.#source.run, this.#source.execution.token));
  }
  get answers(): readonly GivenAnswer[] {
    return frozen(visibleAnswers(this.#source.run, this.#source.execution.token));
  }
  get answersText() {
    return answersText(visibleAnswers(this.#source.run, this.#source.execution.token));
  }
  get node() {
    const { node, visit, attempt } = this.#source.execution.task;
    return { name: node, visit, attempt };
  }
  get error() {
    return frozen(errorOf(this.#source.execution.task, this.#source.run));
  }
  get abort() {
    return this.#source.execution.abort.signal;
  }
  get with() {
    return this.#source.settings ?? {};
  }
  get session() {
    const { execution, run, store } = this.#source;
    if (run.session === undefined) return undefined;
    const place = { id: run.session, tenant: run.tenant };
    const read = (query: MessageQuery = {}) =>
      ownRead(this.#source, 'session.messages', () => sessionMessages(store!, place, query), { args: { ...query } });
    this.#session ??= new SessionOfHandler(execution, run, read);
    return this.#session;
  }
  get ask() {
    return (name: string, request: unknown) => askOf(this.#source, name, request);
  }
  get sleep() {
    const { execution } = this.#source;
    return (name: string, duration: string) => execution.sleep(name, { for: duration });
  }
  get sleepUntil() {
    const { execution } = this.#source;
    return (name: string, until: string) => execution.sleep(name, { until });
  }
  get signal() {
    const { execution } = this.#source;
    return (name: string, schema?: Schema) => execution.signal(name, validatorOf(schema));
  }
  get first() {
    const { execution, codec } = this.#source;
    const toRequest = (request: unknown) => codec.toDefinition(request);
    return (waits: Readonly<Record<string, unknown>>) => execution.first(toMembers(waits, toRequest), schemasOf(waits));
  }
  /** Of agent nodes: the loop of model and tools. */
  get agent() {
    const { execution, run, agents, spare } = this.#source;
    return async (node: AgentNode) => {
      if (agents === undefined) throw new SignalboxError('NoModels', 'Agents do not run here.');
      return await unminded(runAgentNode(execution, run, node, agents, spare));
    };
  }
  get decide() {
    const { execution } = this.#source;
    return (point: string, decision: unknown) => execution.decide(point, decision);
  }
  get update() {
    const { execution } = this.#source;
    return (changes: unknown) => execution.update(changes);
  }
  get group() {
    const { execution } = this.#source;
    return <Result>(name: string, fn: () => Promise<Result>) => execution.group(name, fn);
  }
  get refresh() {
    const { execution } = this.#source;
    return () => execution.refresh();
  }
  get now() {
    const { execution } = this.#source;
    return () => execution.now();
  }
  get random() {
    const { execution } = this.#source;
    return () => Number.parseInt(execution.derived('random').slice(0, 13), 16) / 2 ** 52;
  }
  get uuid() {
    const { execution } = this.#source;
    return () => uuidOf(execution.derived('uuid'));
  }
}

/** With what is to be undone. */
class CompensationContext extends HandlerContext {
  readonly output: JsonValue;
  readonly #source: Source;

  constructor(source: Source) {
    super(source);
    this.output = frozen(compensationOf(source.execution.task, source.run)?.output ?? null);
    this.#source = source;
  }

  /** Of agent nodes: undoes what their tools did. */
  get undoCalls() {
    const { execution, run, agents } = this.#source;
    return async (by: ToolsOfAgent) => {
      if (agents === undefined) throw new SignalboxError('NoModels', 'Agents do not run here.');
      await undoCalls(execution, run, compensationOf(execution.task, run)?.calls ?? [], by, agents);
    };
  }
}

/** What the context itself reads from outside is recorded, and spared, like what the handler does. */
function ownRead<Result>(
  { execution, spare }: Source,
  name: string,
  read: () => Promise<Result>,
  options?: RunOptions,
): Promise<Result> {
  spare?.asked(name);
  const perform = (tools: { readonly idempotencyKey: string }) =>
    spare === undefined ? read() : (spare.perform(name, tools.idempotencyKey) as Promise<Result>);
  return execution.run(name, perform, options);
}

/** Where the answer may be remembered outside the run, that is looked at first, which is recorded like every read. */
function askOf(source: Source, name: string, request: unknown): Promise<JsonValue> {
  const { execution, run, codec, recall } = source;
  const definition = codec.toDefinition(request);
  if (outsideScope(run, definition) === undefined) return execution.ask(name, definition);
  const look = async () => (await recall?.find(run, execution.task, definition)) ?? null;
  const looked = ownRead(source, `recall:${name}`, look);
  return unminded(looked.then(found => execution.ask(name, definition, found === null ? {} : { recalled: found })));
}

/** `ctx.run`: the operation, and what is known of the run. */
function runOperation({ execution, run }: Source): object {
  const { token, task } = execution;
  const operation = <Result>(
    name: string,
    fn: (tools: { idempotencyKey: string; signal: AbortSignal }) => Result | Promise<Result>,
    options?: RunOptions,
  ) => execution.run(name, fn, options);
  const { id, requestId, session } = run;
  const facts = Object.assign(operation, {
    id,
    requestId,
    session,
    visits: frozen(token.visits),
    step: token.steps,
    episode: episodeOf(task, run),
  });
  return Object.freeze(Object.defineProperty(facts, 'trail', { enumerable: true, get: () => token.trail.toList() }));
}

/** As of when the node began: a handler that is executed again must read what it read. */
function episodeOf({ kind, execution }: Task, run: Run): number {
  return kind === 'compensation' ? run.episode : (execution?.episode ?? 0);
}

function toMembers(
  waits: Readonly<Record<string, unknown>>,
  toRequest: (request: unknown) => RequestDefinition,
): Record<string, FirstMember> {
  return Object.fromEntries(
    Object.entries(waits).map(([name, wait]) => {
      if (isJsonObject(wait) && 'ask' in wait) return [name, { ask: toRequest(wait.ask) }];
      if (isJsonObject(wait) && typeof wait.signal === 'string') return [name, { signal: wait.signal }];
      return [name, wait as FirstMember];
    }),
  );
}

function givenOf(task: Task, run: Run): JsonValue {
  if (task.kind === 'compensation') return compensationOf(task, run)?.input ?? null;
  return task.execution?.input ?? null;
}

function compensationOf(task: Task, run: Run) {
  return run.compensations.find(
    entry => entry.token === task.token && entry.node === task.node && entry.visit === task.visit,
  );
}

function errorOf(task: Task, run: Run) {
  if (task.kind === 'compensation') return run.compensating?.error;
  if (task.execution?.fallback !== undefined) return task.execution.fallback.error;
  let scope: string | undefined = task.token;
  while (scope !== undefined) {
    const token = run.tokens.get(scope);
    if (token?.error !== undefined) return token.error;
    const owner = token === undefined ? undefined : run.scopes.get(token.scope)?.owner.token;
    scope = owner === scope ? undefined : owner;
  }
  return undefined;
}

/** A version 4 UUID from a digest. */
function uuidOf(hex: string): string {
  const variant = ((Number.parseInt(hex[16]!, 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
