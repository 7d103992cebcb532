/** W7: from an answer to what follows it, and the inbox, among 100,000 runs that wait. */
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sqliteBox } from '../lib/box.mjs';
import { approvals, ROLES } from '../lib/graphs.mjs';
import { expect, median, now, quantile, scratch, timed } from '../lib/measure.mjs';

/** Of a thousand questions so many are put to a role. */
const SHARES = { finance: 500, legal: 490, risk: 10 };
const WARM = 200;

/** Fills a file with runs that were started and suspended by the engine, relaxed; their questions are put to three roles. */
export async function fillApprovals({ path = join(scratch(), 'box.db'), n, concurrency = 64 }) {
  const box = sqliteBox(path, 'relaxed');
  const graphs = approvals(() => {});
  const roles = Object.entries(SHARES).flatMap(([role, share]) => Array.from({ length: share }, () => role));
  let begun = 0;
  const worker = async () => {
    while (begun < n) {
      begun += 1;
      const run = await box.start(graphs[roles[(begun * 7919) % roles.length]], {});
      expect((await run.settled()).status === 'suspended', 'a run does not wait');
    }
  };
  const ms = await timed(() => Promise.all(Array.from({ length: concurrency }, worker)));
  await box.close();
  return { path, perSecond: (n / ms) * 1000 };
}

/** The oldest questions are answered one after the other; each run's next node says when it starts. */
async function answerOneByOne(box, n, answer, starts) {
  const { rows } = await box.inbox({ limit: WARM + n });
  expect(rows.length === WARM + n, `${rows.length} questions`);
  const times = [];
  for (const { requestId, runId } of rows) {
    const started = new Promise(resolve => starts.set(runId, resolve));
    const { called, accepted } = await answer(requestId);
    const at = await started;
    times.push({ fromCall: at - called, fromAccepted: at - accepted });
    await box.get(runId).settled();
  }
  const measured = times.slice(WARM);
  const of = name => {
    const values = measured.map(time => time[name]);
    return { p50: median(values), p99: quantile(values, 0.99) };
  };
  return { fromCall: of('fromCall'), fromAccepted: of('fromAccepted') };
}

const clock = () => performance.timeOrigin + now();

/** A box with the code, and who waits for the start of which run's next node. */
async function openWorker(path) {
  const starts = new Map();
  const graphs = approvals(runId => {
    starts.get(runId)?.(clock());
    starts.delete(runId);
  });
  const box = sqliteBox(path, 'strict', { graphs: Object.values(graphs) });
  await box.ready();
  return { box, starts };
}

export async function answerHere({ path, n }) {
  const { box, starts } = await openWorker(path);
  const answer = async requestId => {
    const called = clock();
    await box.answer(requestId, { action: 'approve', as: 'user:finn' });
    return { called, accepted: clock() };
  };
  const result = await answerOneByOne(box, n, answer, starts);
  await box.close();
  return result;
}

/** Another process takes the answers; it has no code, so that this one must go on. */
export async function answerElsewhere({ path, n }) {
  const { box, starts } = await openWorker(path);
  const child = fork(fileURLToPath(new URL('../lib/answering-process.mjs', import.meta.url)), [path]);
  const told = () => new Promise(resolve => child.once('message', resolve));
  await told();
  const answer = requestId => {
    const outcome = told();
    child.send(requestId);
    return outcome;
  };
  const result = await answerOneByOne(box, n, answer, starts);
  child.disconnect();
  await box.close();
  return result;
}

/** The first page of each role's inbox, in a process that has just opened the file. */
export async function inbox({ path, looks }) {
  const box = sqliteBox(path, 'strict');
  await box.ready();
  const byRole = {};
  for (const role of ROLES) {
    const times = [];
    for (let look = 0; look < looks; look += 1)
      times.push(
        await timed(async () => {
          const { rows } = await box.inbox({ assignees: [`role:${role}`] });
          expect(rows.length === 100, `${rows.length} rows`);
        }),
      );
    byRole[role] = { first: times[0], p50: median(times) };
  }
  await box.close();
  const roles = Object.values(byRole);
  return {
    first: Math.max(...roles.map(({ first }) => first)),
    p50: Math.max(...roles.map(({ p50 }) => p50)),
    byRole,
  };
}
