import type { RequestView, RunHandle } from 'signalbox';
import type { CaseOutput, Desk } from './desk.ts';

/** A case of an earlier start that somebody still has to hear of. */
export interface EarlierCase {
  readonly run: RunHandle<CaseOutput>;
  readonly message: string;
  /** Open questions; none when the case has ended. */
  readonly questions: readonly RequestView[];
}

const ENDED = ['completed', 'failed', 'cancelled'];
const AT_WORK = ['running', 'cancelling', 'compensating'];
const SHOWN = 'The outcome was shown.';
/** Ended cases looked at, newest first. */
const MOST_ENDED = 20;

/** Notes in the run's own log that its outcome has reached the customer. */
export async function markShown(run: RunHandle<CaseOutput>): Promise<void> {
  await run.note(SHOWN, { as: 'service:support-desk' });
}

/** How many cases an earlier process left in the middle of their work. The engine goes on with them by itself. */
export async function interruptedCases({ box, graph }: Desk): Promise<RunHandle<CaseOutput>[]> {
  await box.ready();
  const { rows } = await box.runs({ graph: graph.name, status: AT_WORK });
  return rows.map(({ runId }) => box.get<CaseOutput>(runId));
}

/** Cases that wait for a person, oldest first. */
export async function openCases({ box, graph }: Desk): Promise<EarlierCase[]> {
  const { rows } = await box.runs({ graph: graph.name, status: ['suspended'] });
  const cases = await Promise.all(rows.map(({ runId }) => readCase(box.get<CaseOutput>(runId))));
  return cases.filter(({ questions }) => questions.length > 0).reverse();
}

/** Cases that have ended without anybody having seen how, oldest first: the process died before it could show it. */
export async function unshownCases({ box, graph }: Desk): Promise<EarlierCase[]> {
  const { rows } = await box.runs({ graph: graph.name, status: ENDED, limit: MOST_ENDED });
  const cases = await Promise.all(rows.map(({ runId }) => readCase(box.get<CaseOutput>(runId))));
  return cases.filter(({ isShown }) => !isShown).reverse();
}

async function readCase(run: RunHandle<CaseOutput>): Promise<EarlierCase & { readonly isShown: boolean }> {
  const { requests: questions } = await run.view();
  let message = '';
  let isShown = false;
  for await (const { type, data } of run.events()) {
    if (type === 'run.started') message = (data.input as { message: string }).message;
    if (type === 'note.added' && data.text === SHOWN) isShown = true;
  }
  return { run, message, questions, isShown };
}
