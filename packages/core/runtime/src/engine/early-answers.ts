import type { Engine } from './engine.ts';

/** How long an answer is kept whose run nobody can name, ms: a commit that is under way takes a part of it. */
const LONGEST_UNNAMED = 1_000;
/** How long one is kept whose run executes, ms. */
const LONGEST = 10_000;
/** How often it is looked for, ms. */
const PERIOD = 20;
/** Answers that an engine keeps at once; beyond that, one for a question that is not there is refused at once. */
const MOST_KEPT = 1_000;
/** As ids are derived; no other can ever be opened. */
const REQUEST_ID = /^req_[0-9a-z]{26}$/;

const kept = new WeakMap<Engine, number>();

/**
 * Keeps an answer that is earlier than its question: who knows how a request's id is made can answer before the commit that
 * opens it has landed. Resolves when the question is there, or is not to be expected any more.
 *  1. An answer is kept in memory by whoever waits for its outcome, so none is accepted before its question judged it, and
 *     none that was accepted can be lost.
 *  2. Both time and number are bounded. What is refused then says that there is no such request.
 *
 * @param runId the run, where the answer names it: then it is waited for as long as that run executes.
 */
export async function untilOpened(engine: Engine, requestId: string, runId?: string): Promise<void> {
  if (!REQUEST_ID.test(requestId) || (await engine.store.request(requestId)) !== undefined) return;
  if (keptBy(engine) >= MOST_KEPT) return;
  kept.set(engine, keptBy(engine) + 1);
  try {
    await (runId === undefined ? untilThere(engine, requestId) : whileExecuting(engine, requestId, runId));
  } finally {
    kept.set(engine, keptBy(engine) - 1);
  }
}

function keptBy(engine: Engine): number {
  return kept.get(engine) ?? 0;
}

/** Real time: what is waited for is a commit under way, not something that is due. */
async function untilThere(engine: Engine, requestId: string): Promise<void> {
  for (let waited = 0; waited < LONGEST_UNNAMED; waited += PERIOD) {
    await new Promise(resolve => setTimeout(resolve, PERIOD));
    if ((await engine.store.request(requestId)) !== undefined) return;
  }
}

async function whileExecuting(engine: Engine, requestId: string, runId: string): Promise<void> {
  for (let waited = 0; waited < LONGEST; waited += PERIOD) {
    // In this order: what is not open when the run has stopped was not opened by it.
    const row = await engine.store.run(runId);
    if ((await engine.store.request(requestId)) !== undefined || row?.status !== 'running') return;
    await new Promise(resolve => setTimeout(resolve, PERIOD));
  }
}
