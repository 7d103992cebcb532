import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ExampleProcess, startExample } from '@signalbox/example-shared/testing';
import type { RunHandle } from 'signalbox';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { chooseModel } from './choose-model.ts';
import { OfferLetters } from './offer-letters.ts';
import { openRecruiter } from './open-recruiter.ts';
import { CONTRACT } from './recruiter.ts';

const MAIN = new URL('./main.ts', import.meta.url);
const ORDER = 'Send the offer letter to cand_a1b2c3d4 at 80000';

// Each test starts several processes.
vi.setConfig({ testTimeout: 180_000 });

let folder: string;
let contract: string;
let started: ExampleProcess[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'recruiter-'));
  contract = join(folder, 'hr_recruiter.yaml');
  copyFileSync(fileURLToPath(CONTRACT), contract);
  started = [];
  vi.stubEnv('RECRUITER_CONTRACT', contract);
  for (const key of ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'OPENAI_BASE_URL', 'RECRUITER_MODEL'])
    vi.stubEnv(key, undefined);
});
afterEach(async () => {
  for (const process of started) {
    process.kill();
    await process.exit;
  }
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

function start(...args: string[]): ExampleProcess {
  const process = startExample(MAIN, folder, args);
  started.push(process);
  return process;
}

async function run(...args: string[]) {
  const process = start(...args);
  return { code: await process.exit, output: process.output() };
}

function sent() {
  const letters = new OfferLetters(join(folder, '.signalbox/letters.db'));
  const list = letters.list();
  letters.close();
  return list;
}

/** Of each run, oldest first: the contract's hash in every event of a tool. */
async function hashes(): Promise<string[][]> {
  const { box, session, close } = await openRecruiter(join(folder, '.signalbox'), { model: chooseModel({}) });
  const { rows } = await session.runs();
  const all = await Promise.all(rows.map(({ runId }) => hashesOf(box.get(runId))));
  await close();
  return all.reverse().filter(each => each.length > 0);
}

async function hashesOf(run: RunHandle<unknown>): Promise<string[]> {
  const found: string[] = [];
  for await (const { type, data } of run.events()) if (type === 'tool.judged') found.push(data.contract as string);
  return found;
}

describe('the recruiter as processes', () => {
  it('says at once that rules are at work, and looks up who was mentioned', async () => {
    const { code, output } = await run('Look up cand_a1b2c3d4');
    expect(code).toBe(0);
    expect(output).toMatch(/^\(rules\/recruiter\)\n◂ Ada Novak: 7 years of experience\./);
  });

  it('is killed while the approval is open; a later process sends the letter once it is approved, once', async () => {
    await run('Start the offer negotiation');
    const killed = start(ORDER);
    await killed.shows('? Send this offer letter?');
    killed.kill();
    await killed.exit;
    expect(sent()).toEqual([]);
    expect(await run()).toMatchObject({ code: 10, output: expect.stringContaining('"annual_salary": 80000') });
    const approved = await run('--answer', 'approve', '--as', 'finn');
    expect(approved).toMatchObject({ code: 0, output: expect.stringContaining('◂ The offer letter is sent.') });
    expect(sent()).toEqual([{ candidate: 'cand_a1b2c3d4', salary: 80_000 }]);
    expect(await run('--answer', 'approve')).toMatchObject({ code: 1 });
    expect(sent()).toHaveLength(1);
  });

  it('takes up a contract that changed on disk for the next run, while the open one keeps its own', async () => {
    await run('Start the offer negotiation');
    expect((await run(ORDER)).code).toBe(10);
    const narrowed = readFileSync(contract, 'utf8').replace('maximum: 200000', 'maximum: 70000');
    writeFileSync(contract, narrowed);
    expect((await run('--answer', 'approve', '--as', 'finn')).output).toContain('The offer letter is sent.');
    const refused = await run(ORDER.replace('a1b2c3d4', '9f8e7d6c'));
    expect(refused).toMatchObject({ code: 0, output: expect.stringContaining('The offer letter was not sent.') });
    expect(sent()).toHaveLength(1);

    const [first, second] = await hashes();
    expect(new Set(first).size).toBe(1);
    expect(first!.length).toBeGreaterThan(1);
    expect(new Set(second).size).toBe(1);
    expect(second![0]).not.toBe(first![0]);
  });

  it('ends with 2 and the usage when there is nothing to do', async () => {
    expect(await run()).toMatchObject({ code: 2, output: expect.stringContaining('npm run recruiter') });
    expect(await run('--what')).toMatchObject({ code: 2 });
  });
});
