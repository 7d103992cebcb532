import type { NodeRef } from '../event/run-event.ts';
import type { HandlerReference } from '../graph/definition.ts';
import type { CompiledNode, Program } from '../graph/program.ts';
import type { NodeExecution } from './node-execution.ts';
import type { Run } from './run.ts';

/** One attempt to execute one node's handler for one token. */
export interface Task extends NodeRef {
  /** `check`: whether a node without a handler may begin is asked. `recall`: memory outside the run is looked at before a node asks. */
  readonly kind: 'node' | 'compensation' | 'check' | 'recall';
  readonly graph: string;
  readonly node: string;
  /** Absent of a `check` and a `recall`. */
  readonly handler: HandlerReference | undefined;
  readonly compiled: CompiledNode;
  readonly attempt: number;
  readonly execution: NodeExecution | undefined;
}

/** The tasks that a driver may execute now, in order of tokens. Pure; what is in flight already is the driver's to know. */
export function ready(program: Program, run: Run): Task[] {
  if (run.status === 'compensating') return compensationTask(program, run);
  const tasks: Task[] = [];
  for (const token of run.tokens.values()) {
    const { at } = token;
    if (at.kind !== 'node' || at.status !== 'running') continue;
    const graph = program.graphs.get(token.graph);
    const own = graph?.nodes.get(at.node);
    const compiled = at.fallback === undefined ? own : graph?.nodes.get(at.fallback.node);
    if (compiled === undefined) continue;
    const kind = taskKind(at, compiled);
    if (kind === undefined) continue;
    tasks.push({
      kind,
      token: token.id,
      node: at.node,
      visit: at.visit,
      graph: token.graph,
      handler: compiled.handler,
      compiled,
      attempt: at.attempt,
      execution: at,
    });
  }
  return tasks;
}

function taskKind(at: NodeExecution, { handler, request }: CompiledNode): Task['kind'] | undefined {
  if (at.checking !== undefined) return 'check';
  if (handler !== undefined) return 'node';
  return request === undefined ? undefined : 'recall';
}

function compensationTask(program: Program, run: Run): Task[] {
  const ref = run.compensating?.running;
  const entry = run.compensations.at(-1);
  if (ref === undefined || entry === undefined) return [];
  const compiled = program.graphs.get(entry.graph)?.nodes.get(entry.by ?? entry.node);
  const handler = entry.calls === undefined ? compiled?.compensate : compiled?.handler;
  if (compiled === undefined || handler === undefined) return [];
  const { token, node, visit, graph } = entry;
  return [
    {
      kind: 'compensation',
      token,
      node,
      visit,
      graph,
      handler,
      compiled,
      attempt: run.compensating?.attempt ?? 1,
      execution: undefined,
    },
  ];
}

/** Handler keys that the run can still come to: those of its whole version, which is what a process must have to drive it. */
export function handlersOf(program: Program): ReadonlySet<string> {
  let keys = handlerKeys.get(program);
  if (keys === undefined) {
    keys = findHandlers(program);
    handlerKeys.set(program, keys);
  }
  return keys;
}

/** A program never changes, and it is asked at every commit of each of its runs. */
const handlerKeys = new WeakMap<Program, ReadonlySet<string>>();

function findHandlers(program: Program): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const graph of program.graphs.values())
    for (const node of graph.nodes.values()) {
      if (node.handler !== undefined) keys.add(node.handler.handler);
      if (node.compensate !== undefined) keys.add(node.compensate.handler);
    }
  return keys;
}
