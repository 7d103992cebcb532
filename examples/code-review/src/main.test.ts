import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ExampleProcess, startExample, startExampleAtTerminal } from '@signalbox/example-shared/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

const MAIN = new URL('./main.ts', import.meta.url);
const ENTER = '\r';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

let folder: string;
let started: ExampleProcess[];
beforeEach(() => {
  // Whoever has keys does not pay for tests.
  for (const name of ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'REVIEW_MODEL']) vi.stubEnv(name, '');
  folder = mkdtempSync(join(tmpdir(), 'code-review-'));
  started = [];
});
afterEach(async () => {
  for (const process of started) await process.exit;
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

function watched(process: ExampleProcess): ExampleProcess {
  started.push(process);
  return process;
}

async function run(...args: string[]) {
  const process = watched(startExample(MAIN, folder, args));
  return { code: await process.exit, output: process.output() };
}

describe('the code review as a process', () => {
  it('shows every turn, and that and why it was stopped', async () => {
    const { code, output } = await run();
    expect(code).toBe(0);
    expect(output).toContain('Scripted reviewers: no model is called.');
    expect(output).toContain(' 9 ada ');
    expect(output).toContain('Stopped: they repeat themselves  Turns 1, 5 and 9 say the same.');
  });

  it('speaks Chinese', async () => {
    const { code, output } = await run('--lang', 'zh');
    expect(code).toBe(0);
    expect(output).toContain('已停止：在重复自己  见第 1、5、9 轮。');
  });

  it('stops where a person is asked, and tells how to answer', async () => {
    const { code, output } = await run('--ask', '3');
    expect(code).toBe(10);
    expect(output).toMatch(/npx signalbox answer req_\w+ --values/);
  });

  it('hears a person at a terminal at any turn', async () => {
    const process = watched(startExampleAtTerminal(MAIN, folder));
    await process.shows(' 1 ada ');
    process.type(`Keep the cause.${ENTER}`);
    await process.shows('person Keep the cause.');
    await process.shows('Stopped: they only agree');
    expect(await process.exit).toBe(0);
  });

  it('is ended by a person at a terminal', async () => {
    const process = watched(startExampleAtTerminal(MAIN, folder));
    await process.shows(' 1 ada ');
    process.type(`end${ENTER}`);
    await process.shows('Ended by a person');
    expect(await process.exit).toBe(0);
  });

  it('refuses what it cannot use', async () => {
    for (const args of [['--lang', 'fr'], ['--ask', '0'], ['nowhere.diff'], ['--nothing']])
      expect(await run(...args)).toMatchObject({ code: 2, output: expect.stringContaining('npm run code-review') });
  });
});
