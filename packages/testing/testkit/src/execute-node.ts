import { type Graph, isHandlerResult, type NodeView } from '@signalbox/core';
import { type ErrorData, type JsonObject, type JsonValue, SignalboxError } from '@signalbox/kernel';
import { createSeededIds } from './seeded-ids.ts';
import { SIMULATED_START } from './simulated-clock.ts';

export interface ExecuteNodeOptions {
  readonly input?: unknown;
  readonly given?: unknown;
  readonly state?: Readonly<Record<string, unknown>>;
  readonly nodes?: Readonly<Record<string, NodeView>>;
  readonly with?: JsonObject;
  readonly error?: ErrorData;
  readonly attempt?: number;
  readonly visit?: number;
  /** Epoch ms; default 2026-01-01T00:00:00Z. */
  readonly now?: number;
  /**
   * What operations come to, by name: results of `run` in place of doing it, answers of `ask`, values of `signal`,
   * `{ winner, value }` of `first`. A function is called. `run` without one here is done; a wait without one ends the test
   * as suspended.
   */
  readonly results?: Readonly<Record<string, unknown>>;
}

/** What a handler did. */
export interface ExecutedNode {
  readonly status: 'success' | 'failed' | 'skipped' | 'retry' | 'suspended';
  /** Of `success`. */
  readonly output?: unknown;
  /** What was thrown or returned as `failed`. */
  readonly error?: unknown;
  /** The routing wish, where there is one. */
  readonly next?: string;
  /** Name of the wait at which it stands. */
  readonly waitsFor?: string;
  readonly updates: readonly unknown[];
  readonly decisions: readonly { readonly point: string; readonly decision: unknown }[];
  /** Names of the operations asked for, in order. */
  readonly operations: readonly string[];
}

/**
 * Calls the handler of one node with a context made up here: no run, no store, no journal. An output that does not fit
 * the node's schema is an error of code `InvalidOutput`, as in a run.
 * @throws SignalboxError `UnknownNode` when the graph has no such node with code.
 */
export async function executeNode(graph: Graph, node: string, options: ExecuteNodeOptions = {}): Promise<ExecutedNode> {
  const compiled = [...graph.program.graphs.values()].map(({ nodes }) => nodes.get(node)).find(Boolean);
  const handler = graph.handlers.get(compiled?.handler?.handler ?? '');
  if (compiled === undefined || handler === undefined)
    throw new SignalboxError('UnknownNode', `"${graph.name}" has no node "${node}" with code.`, { details: { node } });
  const did = {
    updates: [] as unknown[],
    decisions: [] as ExecutedNode['decisions'][number][],
    operations: [] as string[],
  };
  let suspend: (waitsFor: string) => void = () => {};
  const suspended = new Promise<ExecutedNode>(resolve => {
    suspend = waitsFor => resolve({ status: 'suspended', waitsFor, ...did });
  });
  const context = contextOf(node, options, did, name => suspend(name));
  const ended = Promise.resolve()
    .then(() => handler.execute(context as never))
    .then(returned => ({ ...endOf(returned, value => compiled.output?.validate(value as JsonValue)), ...did }))
    .catch((error: unknown): ExecutedNode => ({ status: 'failed', error, ...did }));
  return await Promise.race([ended, suspended]);
}

interface Did {
  readonly updates: unknown[];
  readonly decisions: ExecutedNode['decisions'][number][];
  readonly operations: string[];
}

function contextOf(node: string, options: ExecuteNodeOptions, did: Did, suspend: (name: string) => void): object {
  const { results = {}, visit = 1, attempt = 1, now = SIMULATED_START } = options;
  const ids = createSeededIds(node);
  const wait = (name: string): Promise<unknown> => {
    did.operations.push(name);
    if (Object.hasOwn(results, name)) return Promise.resolve(resultOf(results[name]));
    suspend(name);
    return new Promise(() => {});
  };
  const run = async (name: string, fn: (tools: object) => unknown): Promise<unknown> => {
    if (Object.hasOwn(results, name)) return await wait(name);
    did.operations.push(name);
    return await fn({ idempotencyKey: `${node}/${name}`, signal: new AbortController().signal });
  };
  const facts = {
    id: 'run_test',
    requestId: 'req_test',
    session: undefined,
    visits: { [node]: visit },
    trail: [],
    step: 1,
  };
  return {
    run: Object.assign(run, facts),
    input: options.input ?? {},
    given: options.given ?? null,
    state: options.state ?? {},
    nodes: options.nodes ?? {},
    with: options.with ?? {},
    answers: [],
    answersText: '',
    node: { name: node, visit, attempt },
    error: options.error,
    session: undefined,
    abort: new AbortController().signal,
    ask: wait,
    signal: wait,
    first: () => wait('first'),
    sleep: async (name: string) => void did.operations.push(name),
    sleepUntil: async (name: string) => void did.operations.push(name),
    refresh: async () => options.state ?? {},
    group: (_name: string, fn: () => Promise<unknown>) => fn(),
    decide: (point: string, decision: unknown) => void did.decisions.push({ point, decision }),
    update: (changes: unknown) => void did.updates.push(changes),
    now: () => now,
    random: () => Number.parseInt(ids.uuid().slice(-8), 16) / 2 ** 32,
    uuid: () => ids.uuid(),
  };
}

function resultOf(result: unknown): unknown {
  return typeof result === 'function' ? result() : result;
}

type Check = (
  value: unknown,
) => { readonly ok: boolean; readonly value?: unknown; readonly issues?: unknown } | undefined;

function endOf(returned: unknown, check: Check): Pick<ExecutedNode, 'status' | 'output' | 'error' | 'next'> {
  if (!isHandlerResult(returned)) return outputOf(returned ?? null, check);
  const kind = Reflect.get(returned, Symbol.for('signalbox.result'));
  if (kind === 'next' && 'to' in returned)
    return { ...outputOf('output' in returned ? returned.output : null, check), next: returned.to };
  return kind === 'failed'
    ? { status: 'failed', error: returned }
    : { status: kind === 'skipped' ? 'skipped' : 'retry' };
}

function outputOf(output: unknown, check: Check): Pick<ExecutedNode, 'status' | 'output' | 'error'> {
  const checked = check(output);
  if (checked === undefined) return { status: 'success', output };
  if (checked.ok) return { status: 'success', output: checked.value };
  const message = `The output does not fit the node's schema: ${JSON.stringify(checked.issues)}`;
  return { status: 'failed', error: new SignalboxError('InvalidOutput', message) };
}
