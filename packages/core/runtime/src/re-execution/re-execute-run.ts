import type { Commit } from '@signalbox/kernel';
import type { Engine } from '../engine/engine.ts';
import { unknownRun } from '../engine/unknown-run.ts';
import { Opening } from '../sensitive/opening.ts';
import { readCommits } from '../views/commits.ts';
import { type ReExecution, type ReExecutionOptions, reExecute } from './re-execute.ts';

/**
 * Executes a run of the store once more with the code of this process; nothing is written. What differs is told with masks.
 *
 * @throws SignalboxError `UnknownRun`, `LogUnreadable`, `UnknownVersion`
 */
export async function reExecuteRun(
  { store, graphs, contracts, codec, keys }: Engine,
  runId: string,
  options: ReExecutionOptions = {},
): Promise<ReExecution> {
  const history: Commit[] = [];
  const opening = new Opening(keys);
  for await (const commit of readCommits(store, runId, opening)) history.push(commit);
  if (history.length === 0) throw unknownRun(runId);
  const build = {
    codec,
    secrets: opening.secrets,
    handler: (key: string) => graphs.handler(key),
    program: (hash: string) => graphs.program(hash),
    contract: (hash: string) => contracts.get(hash),
  };
  return opening.secrets.masked(await reExecute(history, build, options));
}
