import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { type ExampleProcess, startExample, startExampleAtTerminal } from '@signalbox/example-shared/testing';
import { createSqliteStore } from 'signalbox';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openCompanion } from './open-companion.ts';
import { openLedger } from './tools/ledger.ts';

const MAIN = new URL('./main.ts', import.meta.url);
const ENTER = '\r';
const DOWN = '\u001b[B';
const RIGHT = '\u001b[C';

// Each test starts several processes.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 });

let folder: string;
let started: ExampleProcess[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'companion-'));
  started = [];
});
afterEach(async () => {
  for (const process of started) await process.exit;
  rmSync(folder, { recursive: true });
});

function watched(process: ExampleProcess): ExampleProcess {
  started.push(process);
  return process;
}
const atTerminal = (...args: string[]) => watched(startExampleAtTerminal(MAIN, folder, ['--user', 'finn', ...args]));

async function run(...args: string[]) {
  const process = watched(startExample(MAIN, folder, ['--user', 'finn', ...args]));
  return { code: await process.exit, output: process.output() };
}

function done(kind: string): readonly unknown[] {
  const ledger = openLedger(join(folder, '.signalbox', 'desktop.db'));
  const acts = ledger.list(kind);
  ledger.close();
  return acts;
}

/** Runs of the conversation, and the questions that were opened in them. */
async function counts() {
  const companion = await openCompanion(join(folder, '.signalbox'), 'finn');
  const { rows } = await companion.session.runs();
  let opened = 0;
  for (const { runId } of rows)
    for await (const { type } of companion.box.get(runId).events()) if (type === 'request.opened') opened += 1;
  await companion.close();
  return { runs: rows.length, opened };
}

describe('the companion as processes', () => {
  it('asks about music, is answered at later starts, and does not ask again', async () => {
    const asked = await run('Recommend me some music');
    expect(asked.code).toBe(10);
    expect(asked.output).toContain('? What music do you like?');
    expect(asked.output).toContain(`--answer '{"genre":"jazz","hours":0}'`);
    const refused = await run('--answer', '{"genre":"polka","hours":3}');
    expect(refused.code).toBe(1);
    expect(refused.output).toContain('This answer was refused');
    const second = await run('--answer', '{"genre":"jazz","hours":3}');
    expect(second).toMatchObject({ code: 10, output: expect.stringContaining('? What is it for?') });
    const replied = await run('moving');
    expect(replied).toMatchObject({ code: 0, output: expect.stringContaining('◂ Jazz for moving: “Uptown Local”') });

    const again = await run('What should I listen to this week?');
    expect(again).toMatchObject({ code: 0, output: expect.stringContaining('◂ Jazz for moving: “Uptown Local”') });
    expect(await counts()).toEqual({ runs: 2, opened: 2 });
  });

  it.each([
    [
      'First, the roof leaks. Second, it is loud. Third, the door sticks.',
      'What was the third point I just made?',
      'the door sticks',
    ],
    ['第一，屋顶漏水。第二，太吵。第三，门卡住了。', '我刚才说的第三点是什么？', '门卡住了'],
  ])('tells after a restart what was the third point: %s', async (points, question, third) => {
    expect((await run(points)).code).toBe(0);
    const { code, output } = await run(question);
    expect(code).toBe(0);
    expect(output).toContain(`“${third}”`);
  });

  it('keeps the conversations of users apart', async () => {
    await run('First, the roof leaks. Second, it is loud.');
    const { output } = await run('--user', 'ada', 'What was the second point I just made?');
    expect(output).toContain('You have made no points so far.');
  });

  it('approves nothing by a message, and pays once when it is approved', async () => {
    expect((await run('付电费')).code).toBe(10);
    expect(done('payment')).toEqual([]);
    const bare = await run('--answer', '{}');
    expect(bare.code).toBe(1);
    const paid = await run('--action', 'approve');
    expect(paid).toMatchObject({ code: 0, output: expect.stringContaining('已向 Nord Power 支付 84.50 €') });
    expect((await run('--action', 'approve')).output).toContain('No question is open.');
    expect(done('payment')).toHaveLength(1);
  });

  it('ends with 2 and the usage when there is nothing to do', async () => {
    const { code, output } = await run();
    expect(code).toBe(2);
    expect(output).toContain('npm run companion');
  });
});

describe('a companion that is killed at its work', () => {
  it('places an order once, and the next start tells of it', async () => {
    expect((await run('Order a lamp')).code).toBe(0);
    const lock = new DatabaseSync(join(folder, '.signalbox', 'desktop.db'), { timeout: 5_000 });
    lock.exec('BEGIN IMMEDIATE');
    const killed = watched(startExample(MAIN, folder, ['--user', 'finn', 'Order 40 notebooks']));
    while ((await log()).split('"op.intended"').length < 3) await sleep(20);
    killed.kill();
    await killed.exit;
    lock.exec('ROLLBACK');
    lock.close();
    expect(done('order')).toHaveLength(1);

    const { output } = await run('What was the second point I just made?');
    expect(output).toContain('◂ Order 2: 40 × notebook, 140.00 €.');
    expect(output).toContain('◂ You have made no points so far.');
    expect(done('order')).toHaveLength(2);
  });
});

/** The text of all that is recorded, read without going on with any of it. */
async function log(): Promise<string> {
  const store = createSqliteStore({ path: join(folder, '.signalbox', 'signalbox.db') });
  const { commits } = await store.feed({});
  await store.close();
  return commits.map(({ sealed }) => sealed?.text ?? '').join('\n');
}

describe('the companion at a terminal', () => {
  it('asks with a form of a select, a slider and a text, and replies', async () => {
    const companion = atTerminal();
    await companion.shows('Message · 留言:');
    companion.type(`推荐一些音乐给我${ENTER}`);
    await companion.shows('❯ 爵士');
    companion.type(`${DOWN}${ENTER}`);
    await companion.shows('? 每周听音乐的小时数');
    companion.type(`${RIGHT}${RIGHT}${ENTER}`);
    await companion.shows('? 备注');
    companion.type(`我很累${ENTER}`);
    await companion.shows('❯ 提交');
    companion.type(ENTER);
    await companion.shows('◂ 听起来今天不容易。古典，放松：“Etude for Rain”');
    companion.type(`退出${ENTER}`);
    expect(await companion.exit).toBe(0);
  });

  it('is killed while it asks, and the next start offers the question and what was said', async () => {
    const killed = atTerminal('Close the tab I am looking at');
    await killed.shows('❯ Train times');
    killed.kill();
    await killed.exit;
    expect(done('closed-tab')).toEqual([]);

    const companion = atTerminal();
    await companion.shows('▸ Close the tab I am looking at');
    await companion.shows('“Which tab do you mean?” is open. Answer it now?');
    companion.type(ENTER);
    await companion.shows('❯ Train times');
    companion.type(DOWN + ENTER);
    await companion.shows('❯ Send');
    companion.type(ENTER);
    await companion.shows('◂ Closed “Noodle soup');
    await companion.shows('Message · 留言:');
    companion.type('\u0003');
    expect(await companion.exit).toBe(0);
    expect(done('closed-tab')).toEqual([{ tab: 'recipe' }]);
    expect(await counts()).toEqual({ runs: 1, opened: 1 });
  });

  it('keeps the question that was left with Ctrl-C', async () => {
    const companion = atTerminal('Pay the electricity bill');
    await companion.shows('Nord Power');
    await companion.shows('❯ Pay');
    companion.type('\u0003');
    expect(await companion.exit).toBe(10);
    expect(companion.output()).toContain('The question stays open.');
    expect((await run('--action', 'reject')).output).toContain('◂ Nothing was paid.');
    expect(done('payment')).toEqual([]);
  });
});
