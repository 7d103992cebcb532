import {
  type GraphDefinition,
  isJsonObject,
  type JsonValue,
  loadProgram,
  type Program,
  type Run,
} from '@signalbox/kernel';
import type { EventStore } from '@signalbox/ports';
import {
  isAtWork,
  loadRun,
  type RequestView,
  type RunView,
  readCommits,
  runView,
  trail,
  unknownRun,
  type WaitView,
} from '@signalbox/runtime';

/** How a run stands, as commands tell it. */
export interface RunReport {
  /** `a → b (completed, 41 ms)` */
  readonly trail: string;
  readonly view: RunView;
  /** It is to execute, and no process that gives a sign of life is at it: its own has died, or was stopped. */
  readonly isLeft?: boolean;
}

/** A run from the store alone. @throws SignalboxError `UnknownRun`, `LogUnreadable` */
export async function loadReport(store: EventStore, runId: string): Promise<RunReport> {
  const { run, program } = await loadStored(store, runId);
  const row = await store.run(runId);
  const logged = runView(run, program);
  const isStranded = logged.status === 'running' && row?.reason === HANDLER_MISSING && row.owner === null;
  const view: RunView = isStranded ? { ...logged, status: 'suspended', reason: HANDLER_MISSING } : logged;
  const isLeft = isAtWork(view.status) && (await isLeftBehind(store, runId));
  return { trail: await trail(readCommits(store, runId), statusBeyondLog(view)), view, isLeft };
}

/** Due, and held by nobody who gives a sign of life. */
async function isLeftBehind(store: EventStore, runId: string): Promise<boolean> {
  return (await store.due({ now: Date.now(), owner: '', limit: 1, runId })).length > 0;
}

const HANDLER_MISSING = 'handlerMissing';

/** That the code of a run is missing is not in its log. */
export function statusBeyondLog(view: RunView): string | undefined {
  return view.status === 'suspended' && view.reason === HANDLER_MISSING ? view.status : undefined;
}

export async function loadStored(store: EventStore, runId: string): Promise<{ run: Run; program?: Program }> {
  const loaded = await loadRun(store, runId);
  if (loaded === undefined) throw unknownRun(runId);
  const program = await storedProgram(store, loaded.run.version);
  return { run: loaded.run, ...(program === undefined ? {} : { program }) };
}

/** The program of a version by its stored definition; undefined where it needs code that only a process with it has. */
export async function storedProgram(store: EventStore, version: string): Promise<Program | undefined> {
  const definition = await storedDefinition(store, version);
  if (definition === undefined) return undefined;
  try {
    return loadProgram(definition);
  } catch {
    return undefined;
  }
}

export async function storedDefinition(store: EventStore, version: string): Promise<GraphDefinition | undefined> {
  const text = await store.document('graph', version);
  if (text === undefined) return undefined;
  const definition: unknown = JSON.parse(text);
  return isJsonObject(definition) ? (definition as unknown as GraphDefinition) : undefined;
}

/** What `run`, `answer`, `show` and the commands that steer print with `--json`. */
export interface RunDocument {
  readonly runId: string;
  readonly status: RunView['status'];
  /** Why it is in that status; null where that says nothing. */
  readonly reason: string | null;
  readonly output: JsonValue;
  readonly error: { readonly code: string; readonly message: string; readonly hint?: string } | null;
  readonly requests: readonly RequestView[];
  /** What it waits for beside its questions. */
  readonly waits: readonly WaitView[];
  /** When something of it is due next: RFC 3339 in UTC. */
  readonly dueAt: string | null;
  /** Of a run that is to execute, where that was looked at: whether a process that gives a sign of life is at it. */
  readonly driven?: boolean;
  readonly trail: string;
  readonly [member: string]: unknown;
}

export function runDocument({ trail: line, view, isLeft }: RunReport): RunDocument {
  const { runId, status, requests, waits = [], dueAt = null, tenant: _tenant, ...rest } = view;
  const error = 'error' in view && view.error !== undefined ? view.error : null;
  return {
    runId,
    status,
    reason: 'reason' in view && view.reason !== undefined ? view.reason : null,
    output: view.status === 'completed' ? view.output : null,
    error,
    requests,
    waits,
    dueAt,
    ...(isLeft === undefined || !isAtWork(status) ? {} : { driven: !isLeft }),
    trail: line,
    ...without(rest, ['reason', 'output', 'error']),
  };
}

function without(members: object, names: readonly string[]): object {
  return Object.fromEntries(Object.entries(members).filter(([name]) => !names.includes(name)));
}
