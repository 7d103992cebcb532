import {
  type FirstMember,
  type GivenAnswer,
  graphInput,
  isJsonObject,
  type JsonValue,
  type RequestDefinition,
  type Run,
  type Task,
  visibleAnswers,
  visibleNodes,
} from '@signalbox/kernel';
import { answersText } from './answers-text.ts';
import { frozenState, type RunOptions, type TaskExecution } from './execution.ts';
import { frozen } from './freeze.ts';

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
  codec: RequestCodec,
  settings: JsonValue | undefined,
): object {
  const { task, token } = execution;
  const toRequest = (request: unknown) => codec.toDefinition(request);
  const runOperation = <Result>(
    name: string,
    fn: (tools: { idempotencyKey: string; signal: AbortSignal }) => Result | Promise<Result>,
    options?: RunOptions,
  ) => execution.run(name, fn, options);
  const facts = {
    id: run.id,
    requestId: run.requestId,
    session: run.session,
    visits: frozen(token.visits),
    step: token.steps,
    episode: run.episode,
  };
  for (const [key, value] of Object.entries(facts))
    Object.defineProperty(runOperation, key, { enumerable: true, value });
  Object.defineProperty(runOperation, 'trail', { enumerable: true, get: () => token.trail.toList() });
  return {
    run: runOperation,
    get input() {
      return frozen(graphInput(run, token));
    },
    given: frozen(givenOf(task, run)),
    get state() {
      return frozenState(task.execution, token);
    },
    get nodes() {
      return frozen(visibleNodes(run, token));
    },
    get answers(): readonly GivenAnswer[] {
      return frozen(visibleAnswers(run, token));
    },
    get answersText() {
      return answersText(visibleAnswers(run, token));
    },
    node: { name: task.node, visit: task.visit, attempt: task.attempt },
    get error() {
      return frozen(errorOf(task, run));
    },
    abort: execution.abort.signal,
    with: settings ?? {},
    ...(task.kind === 'compensation' ? { output: frozen(compensationOf(task, run)?.output ?? null) } : {}),
    ask: (name: string, request: unknown) => execution.ask(name, toRequest(request)),
    sleep: (name: string, duration: string) => execution.sleep(name, { for: duration }),
    sleepUntil: (name: string, until: string) => execution.sleep(name, { until }),
    signal: (name: string) => execution.signal(name),
    first: (waits: Readonly<Record<string, unknown>>) => execution.first(toMembers(waits, toRequest)),
    decide: (point: string, decision: unknown) => execution.decide(point, decision),
    update: (changes: unknown) => execution.update(changes),
    group: <Result>(name: string, fn: () => Promise<Result>) => execution.group(name, fn),
    refresh: () => execution.refresh(),
    now: () => execution.now(),
    random: () => Number.parseInt(execution.derived('random').slice(0, 13), 16) / 2 ** 52,
    uuid: () => uuidOf(execution.derived('uuid')),
  };
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
