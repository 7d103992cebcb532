import {
  type Commit,
  decide,
  handlersOf,
  isSignalboxError,
  loadProgram,
  missingNodes,
  type Program,
  type Run,
  requestOf,
  versionHash,
} from '@signalbox/kernel';
import type { EventStore, RunRow } from '@signalbox/ports';
import { DRIVER, loadRun, readCommits, verifyStream } from '@signalbox/runtime';
import { storedDefinition } from '../report/load-report.ts';
import type { Build } from './build.ts';
import { reExecute, waitingPlaces } from './re-execute.ts';

/** What is looked at for each open run, in this order. */
export const CHECKS: readonly string[] = [
  'the log is whole and every event of it folds in this version',
  'the definition of its version is in the store, compiles in this build and has the same hash',
  'this build has every handler and predicate that the definition names',
  'every node that a token stands at, and every open question, is known to the definition',
  'the kernel takes the next step of its time without an error',
  'every handler that waits, executed once more in memory without effects, comes to the same wait in the same way',
];

export interface OpenRunProblem {
  readonly code: string;
  readonly reason: string;
}

export interface OpenRunCheck {
  readonly runId: string;
  readonly graph: string;
  readonly version: string;
  readonly status: string;
  readonly ok: boolean;
  readonly problems: readonly OpenRunProblem[];
}

const OPEN: readonly string[] = ['running', 'suspended', 'paused', 'cancelling', 'compensating'];

/**
 * Looks whether this build can go on with every run that is not over. Nothing is written; handlers that wait are executed in
 * memory, where operations that are not recorded are not done.
 */
export async function* checkOpenRuns(store: EventStore, build: Build): AsyncGenerator<OpenRunCheck> {
  for (let after: string | undefined; ; ) {
    const page = await store.runs({ tenant: 'default', status: OPEN, ...(after === undefined ? {} : { after }) });
    for (const row of page.rows) yield await checkRun(store, build, row);
    after = page.next;
    if (after === undefined) return;
  }
}

async function checkRun(store: EventStore, build: Build, row: RunRow): Promise<OpenRunCheck> {
  const { runId, graph, version, status } = row;
  const problems: OpenRunProblem[] = [];
  const note = async (work: () => Promise<void> | void) => {
    try {
      await work();
    } catch (error) {
      problems.push(problemOf(error));
    }
  };
  await note(async () => {
    const { firstBad } = await verifyStream(store, runId);
    if (firstBad !== undefined)
      problems.push({ code: firstBad.code, reason: `at ${firstBad.seq}: ${firstBad.reason}` });
  });
  if (problems.length === 0)
    await note(async () => {
      const loaded = await loadRun(store, runId);
      const program = await programOf(store, build, row);
      if (loaded === undefined) return;
      checkProgram(program, loaded.run, build, problems);
      if (problems.length === 0) await checkHandlers(store, program, loaded.run, build, problems);
    });
  return { runId, graph, version, status, ok: problems.length === 0, problems };
}

async function programOf(store: EventStore, build: Build, { graph, version }: RunRow): Promise<Program> {
  const definition = await storedDefinition(store, version);
  if (definition === undefined) throw problem('UnknownVersion', `graph version ${version} is not in the store`);
  const program = loadProgram(definition, build.graphs.find(({ name }) => name === graph)?.code);
  if (versionHash(definition) !== version)
    throw problem('VersionMismatch', `the stored definition has the hash ${versionHash(definition)} in this build`);
  return program;
}

function checkProgram(program: Program, run: Run, build: Build, problems: OpenRunProblem[]): void {
  for (const key of handlersOf(program))
    if (!build.handlers.has(key)) problems.push({ code: 'HandlerMissing', reason: `there is no code for ${key}` });
  for (const node of missingNodes({ run }, { to: program, mapping: {} }))
    problems.push({ code: 'NodesMissing', reason: `the definition has no node ${node}` });
  if (problems.length > 0) return;
  for (const request of run.requests.values()) requestOf(program, run, request);
  const { refusal } = decide(program, run, { type: 'tick', at: run.at, actor: DRIVER });
  if (refusal !== undefined) problems.push(problemOf(refusal));
}

async function checkHandlers(store: EventStore, program: Program, run: Run, build: Build, problems: OpenRunProblem[]) {
  const history: Commit[] = [];
  for await (const commit of readCommits(store, run.id)) history.push(commit);
  for (const place of await waitingPlaces(history, run)) {
    const difference = await reExecute(history, place, program.definition, build);
    if (difference !== undefined)
      problems.push({ code: 'NonDeterminismError', reason: `${place.node}: ${difference}` });
  }
}

function problem(code: string, reason: string): Error & OpenRunProblem {
  return Object.assign(new Error(reason), { code, reason });
}

function problemOf(error: unknown): OpenRunProblem {
  const reason = error instanceof Error ? error.message : String(error);
  const code = isSignalboxError(error) ? error.code : (error as { readonly code?: unknown }).code;
  return { code: typeof code === 'string' ? code : 'Failed', reason };
}
