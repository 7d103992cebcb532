import { SignalboxError } from '@signalbox/kernel';
import { type RequestView, requestView } from '@signalbox/runtime';
import type { CommandBox } from '../box/open-box.ts';
import type { Cli } from '../cli.ts';
import { findRun } from '../report/find-run.ts';

export interface OpenRequest {
  readonly request: string;
  /** Absent when it is not open any more; then the answer is refused, or it is the very one that was accepted. */
  readonly view?: RequestView;
}

/** A run stands for its one open question. @throws SignalboxError `UnknownRequest`, `AmbiguousTarget` */
export async function openRequest(cli: Cli, { box }: CommandBox, id: string): Promise<OpenRequest> {
  const found = await box.store.request(id);
  const row = found?.tenant === cli.tenant ? found : undefined;
  const runId = row?.runId ?? (id.startsWith('run_') ? await findRun(cli, box.store, id) : undefined);
  if (runId === undefined)
    throw new SignalboxError('UnknownRequest', `There is no question "${id}".`, {
      hint: 'See `signalbox inbox`.',
      details: { request: id },
    });
  const { run, program } = await box.engine.load(runId);
  const requests = row === undefined ? [...run.requests.values()] : [run.requests.get(id)];
  if (row === undefined && requests.length === 0)
    throw new SignalboxError('UnknownRequest', `Nothing is asked in run ${runId}: it is ${run.status}.`, {
      hint: 'See `signalbox inbox`.',
      details: { run: runId, status: run.status },
    });
  if (row === undefined && requests.length !== 1)
    throw new SignalboxError('AmbiguousTarget', `Run ${runId} has ${requests.length} open questions.`, {
      hint: 'Name one of them.',
      details: { open: [...run.requests.keys()] },
    });
  const [request] = requests;
  if (request === undefined) return { request: id };
  return { request: request.id, view: requestView(run, request, program) };
}
