import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const EXAMPLE = fileURLToPath(new URL('..', import.meta.url));
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const COMMAND = [
  ...['--conditions=@signalbox/source', '--import', import.meta.resolve('tsx')],
  join(ROOT, 'packages/signalbox/bin/signalbox.mjs'),
];

let folder: string;

/** A copy of the example inside the repository, so that it finds its packages. */
beforeEach(() => {
  const cache = join(ROOT, 'node_modules/.cache/approval-flow');
  mkdirSync(cache, { recursive: true });
  folder = mkdtempSync(join(cache, 'work-'));
  cpSync(EXAMPLE, folder, { recursive: true, filter: path => !/(node_modules|\.signalbox)$/.test(path) });
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The real command in a process of its own. */
async function signalbox(...args: string[]) {
  const env = { ...process.env, NO_COLOR: '1', NODE_OPTIONS: '' };
  return await promisify(execFile)(process.execPath, [...COMMAND, ...args], { cwd: folder, env }).then(
    ({ stdout, stderr }) => ({ code: 0, signal: null, stdout, stderr }),
    (ended: { code: number | null; signal: string | null; stdout: string; stderr: string }) => ended,
  );
}

async function asked(request: string): Promise<string> {
  expect((await signalbox('run', 'approval-flow', '--input', `@requests/${request}`, '--as', 'user:ada')).code).toBe(
    10,
  );
  return (await signalbox('inbox', '-q')).stdout.trim();
}

const ledger = () =>
  readFileSync(join(folder, '.signalbox/ledger.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as Record<string, string>);

/** A ledger that dies with its process once it has booked an entry of this kind. */
const deadly = (kind: string) => `import config from './signalbox.config.ts';
import { openLedger } from './src/ledger.ts';
import { createNodeTypes } from './src/node-types.ts';
import { readSuppliers } from './src/suppliers.ts';

const ledger = openLedger('.signalbox/ledger.jsonl');
const deadly = {
  ...ledger,
  book(booking) {
    const entry = ledger.book(booking);
    if (booking.kind === '${kind}') process.kill(process.pid, 'SIGKILL');
    return entry;
  },
};
export default { ...config, types: createNodeTypes({ ledger: deadly, suppliers: readSuppliers() }) };
`;

/** The approval is durable, and the process dies right behind that entry of the ledger. */
async function approveAndDie(request: string, behind: 'payment' | 'reversal'): Promise<void> {
  writeFileSync(join(folder, 'deadly.config.ts'), deadly(behind));
  const approve = ['answer', request, '--action', 'approve', '--as', 'user:mei'];
  expect((await signalbox(...approve, '--config', 'deadly.config.ts')).signal).toBe('SIGKILL');
}

describe('the approval flow on the command line', { timeout: 120_000 }, () => {
  it('is a graph without a fault', async () => {
    expect(await signalbox('graph', 'check', 'approval-flow.yaml')).toMatchObject({ code: 0, stderr: '' });
  });

  it('has one entry in the ledger when the process was killed between the payment and its record', async () => {
    const request = await asked('lamp.json');
    await approveAndDie(request, 'payment');
    expect(ledger()).toHaveLength(1);

    const run = (await signalbox('runs', '-q')).stdout.trim();
    expect((await signalbox('events', run)).stdout).not.toContain('op.recorded');
    const resumed = await signalbox('resume', run);
    expect(resumed).toMatchObject({ code: 0 });
    expect(resumed.stdout).toContain('check → approve → pay → order (completed');
    expect(ledger()).toHaveLength(1);
  });

  it('has one reversal when the process was killed between the reversal and its record', async () => {
    const request = await asked('flour.json');
    await approveAndDie(request, 'reversal');
    const resumed = await signalbox('resume', (await signalbox('runs', '-q')).stdout.trim());
    expect(resumed).toMatchObject({ code: 1 });
    expect(resumed.stdout).toContain('NotOrdered');
    expect(ledger().map(({ kind }) => kind)).toEqual(['payment', 'reversal']);
  });
});
