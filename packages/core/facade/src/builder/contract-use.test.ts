import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { contractUse } from './contract-use.ts';

let folder: string;
let written = 0;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'contract-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Each time at another moment, however quick the test is. */
function write(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  written += 1;
  utimesSync(file, written, written);
  return file;
}

const tools = async (use: ReturnType<typeof contractUse>) => Object.keys((await use.load()).tools);

describe('The contract of an agent in a file', () => {
  it('is read once, and anew where the file has changed', async () => {
    const file = write('desk.yaml', 'agent_name: desk\nallowed_tools: [{ name: look, input_schema: {} }]\n');
    const use = contractUse(file);
    const first = await use.load();
    expect(await use.load()).toBe(first);
    write('desk.yaml', 'agent_name: desk\nallowed_tools: [{ name: find, input_schema: {} }]\n');
    expect(await tools(use)).toEqual(['find']);
  });

  it('is what the one that it extends says now', async () => {
    const base = (name: string) =>
      write('base.yaml', `agent_name: base\nallowed_tools: [{ name: ${name}, input_schema: {} }]\n`);
    base('look');
    const use = contractUse(write('desk.yaml', 'agent_name: desk\nextends: base\n'));
    expect(await tools(use)).toEqual(['look']);
    base('find');
    expect(await tools(use)).toEqual(['find']);
  });

  it('is an error by name where it is gone, or cannot be used', async () => {
    const file = write('desk.yaml', 'agent_name: desk\nallowed_tools: []\n');
    const use = contractUse(file);
    await use.load();
    write('desk.yaml', 'agent_name: desk\n');
    await expect(use.load()).rejects.toMatchObject({ code: 'InvalidContract', details: { file } });
    rmSync(file);
    await expect(use.load()).rejects.toMatchObject({ code: 'UnknownFile', details: { file } });
  });
});
