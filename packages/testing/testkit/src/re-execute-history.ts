import { importRun, type ReExecution, reExecuteRun } from '@signalbox/runtime';
import { type TestboxOptions, testbox } from './testbox.ts';

/**
 * Executes a recorded run once more with the code of now: nothing is done, and what comes out is compared with what was
 * recorded. Keep the files of `signalbox export` beside your tests, and a change that would break runs under way shows.
 *
 * @param lines of a run file, as `signalbox export` writes it.
 */
export async function reExecuteHistory(
  lines: Iterable<string>,
  options: Pick<TestboxOptions, 'graphs' | 'types'>,
): Promise<ReExecution> {
  const box = testbox({ chain: true, ...options });
  try {
    const kept = [...lines];
    const { runId } = await importRun(box.store, () => kept, { rowsOf: async () => ({ runs: [], requests: [] }) });
    return await reExecuteRun(box.engine, runId);
  } finally {
    await box.close();
  }
}
