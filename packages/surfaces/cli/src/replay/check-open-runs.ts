import {
  decide,
  handlersOf,
  isSignalboxError,
  missingNodes,
  type Program,
  type Run,
  requestOf,
} from '@signalbox/kernel';
import type { EventStore, RunRow } from '@signalbox/ports';
import { DRIVER, loadRun, verifyStream } from '@signalbox/runtime';
import type { Build } from './build.ts';
import { executeRun, programOf } from './execute-run.ts';

/** What is looked at for each open run, in this order. */
export const CHECKS: readonly string[] = [
  'the log is whole and every event of it folds in this version',
  'the definition of its version is in the store, compiles in this build and has the same hash',
  'this build has every handler and predicate that the definition names',
  'every node that a token stands at, and every open question, is known to the definition',
  'the kernel takes the next step of its time without an error',
  'the whole run, executed once more in memory without effects, comes out as it was recorded',
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
 * Looks whether this build can go on with every run that is not over. Nothing is written; each run is executed once more
 * in memory, where operations that are not recorded are not done.
 */
export async function* checkOpenRuns(store: EventStore, tenant: string, build: Build): AsyncGenerator<OpenRunCheck> {
  for (let after: string | undefined; ; ) {
    const page = await store.runs({ tenant, status: OPEN, ...(after === undefined ? {} : { after }) });
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
      const program = await programOf(store, build, version);
      if (loaded === undefined) return;
      checkProgram(program, loaded.run, build, problems);
      if (problems.length === 0) await checkExecution(store, runId, build, problems);
    });
  return { runId, graph, version, status, ok: problems.length === 0, problems };
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

async function checkExecution(store: EventStore, runId: string, build: Build, problems: OpenRunProblem[]) {
  const { difference } = await executeRun(store, runId, build);
  if (difference !== undefined) problems.push({ code: 'NonDeterminismError', reason: difference.text });
}

function problemOf(error: unknown): OpenRunProblem {
  const reason = error instanceof Error ? error.message : String(error);
  const code = isSignalboxError(error) ? error.code : (error as { readonly code?: unknown }).code;
  return { code: typeof code === 'string' ? code : 'Failed', reason };
}
