import { SignalboxError } from '@signalbox/kernel';
import type { EventStore, RequestRow } from '@signalbox/ports';
import { type RequestView, requestView } from '@signalbox/runtime';
import type { CommandBox } from '../box/open-box.ts';
import type { Cli } from '../cli.ts';
import { findRun } from '../report/find-run.ts';

export interface OpenRequest {
  readonly request: string;
  /** Absent when it is not open any more; then the answer is refused, or it is the very one that was accepted. */
  readonly view?: RequestView;
}

/**
 * The question of this id, the one open question whose id begins so, or the one of a run.
 *
 * @throws SignalboxError `UnknownRequest`, `AmbiguousTarget`
 */
export async function openRequest(cli: Cli, opened: CommandBox, id: string): Promise<OpenRequest> {
  const { store } = opened.box;
  const named = await store.request(id);
  const row = named?.tenant === cli.tenant ? named : await beginningWith(cli, store, id);
  if (row !== undefined) return await questionOf(opened, row.runId, row.requestId);
  if (id.startsWith('run_')) return await onlyQuestionOf(opened, await findRun(cli, store, id));
  throw new SignalboxError('UnknownRequest', `There is no question "${id}".`, {
    hint: 'See `signalbox inbox`.',
    details: { request: id },
  });
}

async function questionOf({ box }: CommandBox, runId: string, id: string): Promise<OpenRequest> {
  const { run, program } = await box.engine.view(runId);
  const request = run.requests.get(id);
  return request === undefined ? { request: id } : { request: id, view: requestView(run, request, program) };
}

async function onlyQuestionOf({ box }: CommandBox, runId: string): Promise<OpenRequest> {
  const { run, program } = await box.engine.view(runId);
  const [request, ...others] = run.requests.values();
  if (request === undefined)
    throw new SignalboxError('UnknownRequest', `Nothing is asked in run ${runId}: it is ${run.status}.`, {
      hint: 'See `signalbox inbox`.',
      details: { run: runId, status: run.status },
    });
  if (others.length > 0)
    throw new SignalboxError('AmbiguousTarget', `Run ${runId} has ${others.length + 1} open questions.`, {
      hint: 'Name one of them.',
      details: { open: [...run.requests.keys()] },
    });
  return { request: request.id, view: requestView(run, request, program) };
}

/** `req_` and so many more letters may stand for the one open question whose id begins with them. */
const BEGINNING = /^req_\w{4,}$/;
const PAGE = 500;

async function beginningWith({ tenant }: Cli, store: EventStore, given: string): Promise<RequestRow | undefined> {
  if (!BEGINNING.test(given)) return undefined;
  const found: RequestRow[] = [];
  let after: string | undefined;
  do {
    const page = await store.requests({
      tenant,
      status: 'open',
      limit: PAGE,
      ...(after === undefined ? {} : { after }),
    });
    found.push(...page.rows.filter(({ requestId }) => requestId.startsWith(given)));
    after = page.next;
  } while (after !== undefined && found.length <= 1);
  if (found.length <= 1) return found[0];
  throw new SignalboxError('AmbiguousTarget', `Several questions begin with ${given}.`, {
    hint: `Such as ${found.map(({ requestId }) => requestId).join(', ')}.`,
    details: { request: given },
  });
}
