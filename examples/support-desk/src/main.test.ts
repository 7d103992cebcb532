import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { type ExampleProcess, startExample, startExampleAtTerminal } from '@signalbox/example-shared/testing';
import { createSqliteStore } from 'signalbox';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDesk, openServices } from './desk.ts';
import { openTicketStore } from './ticket-store.ts';

const MAIN = new URL('./main.ts', import.meta.url);
const REFUND = 'I want a refund for order 881';
const UNSURE = 'The thing I bought is weird and I am unsure';

let folder: string;
let started: ExampleProcess[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'desk-'));
  started = [];
});
afterEach(async () => {
  for (const desk of started) await desk.exit;
  rmSync(folder, { recursive: true });
});

function start(...args: string[]): ExampleProcess {
  const desk = startExample(MAIN, folder, args);
  started.push(desk);
  return desk;
}

function startAtTerminal(...args: string[]): ExampleProcess {
  const desk = startExampleAtTerminal(MAIN, folder, args);
  started.push(desk);
  return desk;
}

async function run(...args: string[]) {
  const desk = start(...args);
  return { code: await desk.exit, output: desk.output() };
}

const ticketFile = () => join(folder, '.signalbox', 'tickets.db');
const caseFile = () => join(folder, '.signalbox', 'signalbox.db');

function tickets() {
  const store = openTicketStore(ticketFile());
  const list = store.list();
  store.close();
  return list;
}

/** How many runs there are, and the types of all events. */
async function log() {
  const store = createSqliteStore({ path: caseFile() });
  const { commits } = await store.feed({});
  const text = commits.map(({ sealed }) => sealed?.text ?? '').join('\n');
  await store.close();
  return { text, runs: text.split('"run.started"').length - 1 };
}

describe('the support desk as a process', () => {
  it.each([
    ['When do you open on Saturday?', 'Monday to Saturday from 10:00 to 19:00', 'Trail'],
    ['周末几点开门？', '周一至周六 10:00 到 19:00 营业', '路径'],
  ])('answers "%s" from the FAQ in its language, with the trail and why', async (message, answer, heading) => {
    const { code, output } = await run(message);
    expect(code).toBe(0);
    expect(output).toContain(answer);
    expect(output).toMatch(new RegExp(`${heading}  classify → faq → reply \\(completed, [\\d.]+ m?s\\)`));
    expect(output).toMatch(/✘ output\.confidence < 0\.6 {2}\[output\.confidence = 0\.\d+\]/);
    expect(output).toContain(`✔ output.intent == 'faq'  [output.intent = "faq"]`);
  });

  it('stores one ticket for a refund', async () => {
    const { code, output } = await run(REFUND);
    expect(code).toBe(0);
    expect(tickets()).toEqual([{ id: 'T-1001', kind: 'refund', detail: REFUND }]);
    expect(output).toContain('as ticket T-1001');
    expect(output).toContain('Trail  classify → createTicket → reply (completed');
    expect(output).toContain('classify → createTicket: refunds and orders become tickets');
  });

  it('waits for a person when it is not sure, says how to answer, and takes the answer at another start', async () => {
    const asked = await run(UNSURE);
    expect(asked.code).toBe(10);
    expect(asked.output).toContain('Trail  classify → handoff? (suspended)');
    expect(asked.output).toContain(`npm start -- --answer '{"queue":"oncall"}'`);
    expect(asked.output).toContain('✔ output.confidence < 0.6');

    const again = await run();
    expect(again.code).toBe(10);
    expect(again.output).toContain(`1 question is open: “${UNSURE}”`);

    const refused = await run('--answer', '{"queue":"nobody"}');
    expect(refused.code).toBe(1);
    expect(refused.output).toContain('This answer was refused');

    const answered = await run('--answer', '{"queue":"billing"}');
    expect(answered.code).toBe(0);
    expect(answered.output).toContain('the billing team');
    expect(answered.output).toContain('Trail  classify → handoff → reply (completed');
    expect((await log()).runs).toBe(1);
  });

  it('takes message and answer at once', async () => {
    const { code, output } = await run('我要投诉，东西坏了', '--answer', '{"queue":"oncall"}');
    expect(code).toBe(0);
    expect(output).toContain('您的留言已转交值班组');
  });

  it('does not begin a second case for the message of an open one', async () => {
    await run(UNSURE);
    expect((await run(UNSURE)).code).toBe(10);
    expect((await log()).runs).toBe(1);
  });

  it('takes a new message though another case is open, in its own language, and tells of the other at the end', async () => {
    expect((await run('我要投诉，东西坏了')).code).toBe(10);
    const { code, output } = await run(REFUND);
    expect(code).toBe(0);
    expect(output).toContain('as ticket T-1001');
    expect(output).toContain('1 question is open: “我要投诉，东西坏了”');
    expect((await log()).runs).toBe(2);
  });

  it('ends with 2 and the usage when there is no message', async () => {
    const { code, output } = await run();
    expect(code).toBe(2);
    expect(output).toContain('npm start -- "Where is my parcel?"');
  });

  it('ends with 2 for a message that is too long', async () => {
    const { code, output } = await run('x'.repeat(2001));
    expect(code).toBe(2);
    expect(output).toContain('/message: must have at most 2000 characters');
  });

  it('hands a case to a person when the ticket cannot be stored', async () => {
    mkdirSync(ticketFile(), { recursive: true });
    const asked = await run(REFUND);
    expect(asked.code).toBe(10);
    expect(asked.output).toContain('Asked because: the ticket could not be stored (');
    expect(asked.output).toContain('Trail  classify → createTicket! → handoff? (suspended)');
    expect(asked.output).toContain('createTicket (failed) → handoff: the ticket could not be stored');
    const { output } = await run('--answer', '{"queue":"billing"}');
    expect(output).toContain('We could not store your request as a ticket just now.');
  });
});

describe('the support desk at a terminal', () => {
  it('asks with a form, validates it, and ends with reply, trail and why', async () => {
    const desk = startAtTerminal();
    await desk.shows('Message · 留言:');
    desk.type(`${UNSURE}\r`);
    await desk.shows('❯ the on-call team');
    desk.type('\u001b[B');
    await desk.shows('❯ the billing team');
    desk.type('\r');
    await desk.shows('? Note');
    desk.type(`${'x'.repeat(301)}\u0004`);
    await desk.shows('must have at most 300 characters');
    desk.type('\u0015call them\u0004');
    await desk.shows('❯ Send');
    desk.type('\r');
    expect(await desk.exit).toBe(0);
    expect(desk.output()).toContain('We have passed your message on to the billing team');
    expect(desk.output()).toContain('Trail  classify → handoff → reply (completed');
  });

  it('offers the open question first after it was killed there, and begins nothing twice', async () => {
    const killed = startAtTerminal(UNSURE);
    await killed.shows('❯ the on-call team');
    killed.kill();
    await killed.exit;

    const desk = startAtTerminal(UNSURE);
    await desk.shows('1 question is open');
    await desk.shows('Answer it now?');
    desk.type('\r');
    await desk.shows('❯ the on-call team');
    desk.type('\r');
    await desk.shows('? Note');
    desk.type('\r');
    await desk.shows('❯ Send');
    desk.type('\r');
    expect(await desk.exit).toBe(0);
    expect(desk.output()).toContain('We have passed your message on to the on-call team');
    expect((await log()).runs).toBe(1);
  });

  it('takes a new message before it asks about an open case', async () => {
    expect((await run('我要投诉，东西坏了')).code).toBe(10);
    const desk = startAtTerminal(REFUND);
    expect(await desk.exit).toBe(0);
    expect(desk.output()).toContain('as ticket T-1001');
    expect(desk.output()).toContain('1 question is open');
  });

  it('keeps the question when it is left with Ctrl-C', async () => {
    const desk = startAtTerminal('我要投诉，东西坏了');
    await desk.shows('❯ 值班组');
    desk.type('\u0003');
    expect(await desk.exit).toBe(10);
    expect(desk.output()).toContain('此问题仍待答复');
    expect((await run()).output).toContain('有 1 个问题待答复');
  });
});

describe('a desk that is killed', () => {
  it('shows at the next start a reply that nobody has seen, once', async () => {
    const desk = openDesk(openServices(join(folder, '.signalbox')), { path: caseFile() });
    await (await desk.box.start(desk.graph, { message: REFUND })).settled();
    await desk.close();
    const { code, output } = await run(REFUND);
    expect(code).toBe(0);
    expect(output).toContain(`A reply that was not shown yet: “${REFUND}”`);
    expect(output).toContain('as ticket T-1001');
    expect(tickets()).toHaveLength(1);
    expect((await run()).output).not.toContain('not shown yet');
  });

  it('stores one ticket, whether it dies before the ticket or between ticket and record', async () => {
    // Both files exist, so that the locks below are held on what the desk will use.
    expect((await run(REFUND)).code).toBe(0);
    const detail = 'Please refund the broken lamp';

    const ticketLock = lock(ticketFile());
    const before = start(detail);
    await until(async () => (await log()).text.split('"op.intended"').length === 3);
    before.kill();
    await before.exit;

    const between = start(detail);
    // Its new intent must be durable before the case file is locked: without it nobody makes a ticket.
    await until(async () => (await log()).text.split('"op.intended"').length === 4);
    expect((await log()).text).toContain('"op.retried"');
    const caseLock = lock(caseFile());
    ticketLock.release();
    await until(async () => tickets().length === 2);
    between.kill();
    await between.exit;
    caseLock.release();
    expect((await log()).text).not.toContain('T-1002');

    const last = await run(detail);
    expect(last.code).toBe(0);
    expect(last.output).toContain('as ticket T-1002');
    expect(last.output).toContain('nothing is done again');
    expect(tickets().map(ticket => ticket.detail)).toEqual([REFUND, detail]);
    expect((await log()).runs).toBe(2);
  });
});

/** Keeps all others from writing to an SQLite file. */
function lock(path: string) {
  const database = new DatabaseSync(path, { timeout: 5_000 });
  database.exec('BEGIN IMMEDIATE');
  return {
    release() {
      database.exec('ROLLBACK');
      database.close();
    },
  };
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(20);
}
