import { readFileSync, rmSync } from 'node:fs';
import type { DeliveryRow } from '@signalbox/runtime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ErrorJson, RunJson } from '../testing/documents.ts';
import { DESK } from '../testing/graphs.ts';
import { Workbench } from '../testing/workbench.ts';

/** A channel that works as soon as there is a file `up`, and notes what it was given in `sent`. */
const CONFIG = `
import { appendFileSync, existsSync } from 'node:fs';
import { defineConfig } from 'signalbox';
const here = name => new URL(name, import.meta.url);
const desk = {
  name: 'desk',
  schedule: ['1h'],
  async deliver(message) {
    appendFileSync(here('./sent'), message.id + '\\n');
    if (existsSync(here('./dead'))) return { status: 'refused', error: 'gone' };
    return existsSync(here('./up')) ? { status: 'delivered' } : { status: 'failed', error: 'no answer' };
  },
};
export default defineConfig({ graphs: ['desk.yaml'], channels: [desk] });
`;

let bench: Workbench;

beforeEach(() => {
  bench = new Workbench();
  bench.file('desk.yaml', DESK);
  bench.file('signalbox.config.ts', CONFIG);
});
afterEach(() => bench.remove());

async function asked(): Promise<string> {
  return (await bench.json<RunJson>('run', 'desk.yaml', '--input', '{"message":"hi"}')).json.requests[0]!.id;
}

async function listed(...argv: string[]): Promise<readonly DeliveryRow[]> {
  return (await bench.json<{ deliveries: readonly DeliveryRow[] }>('deliveries', ...argv)).json.deliveries;
}

describe('the deliveries command', () => {
  it('has nothing to show when everything was delivered', async () => {
    bench.file('up', '');
    await asked();
    expect(await bench.run('deliveries')).toMatchObject({ code: 0, stdout: 'Nothing waits to be delivered.\n' });
  });

  it('shows what waits, and why', async () => {
    const request = await asked();
    expect(await listed()).toMatchObject([
      { channel: 'desk', status: 'waiting', type: 'request.opened', request, attempts: 1, error: 'no answer' },
    ]);
    expect(await listed('--dead')).toEqual([]);
    expect(await listed('--channel', 'other')).toEqual([]);
    const { stdout } = await bench.run('deliveries');
    expect(stdout).toMatch(/msg_run_\S+ +desk +opened +waits until \S+ +1 +req_\S+ +no answer/);
  });

  it('shows and discards what is the tenant’s, and nobody else’s', async () => {
    bench.file('dead', '');
    await asked();
    expect(await listed('--tenant', 'acme')).toEqual([]);
    const discard = ['deliveries', '--discard', 'all', '--reason', 'old'];
    expect(await bench.run(...discard, '--tenant', 'acme')).toMatchObject({ stdout: '0 messages discarded.\n' });
    expect(await listed('--dead')).toHaveLength(1);
    expect(await bench.run(...discard)).toMatchObject({ stdout: '1 message discarded.\n' });
  });

  it('has dead letters tried anew, and sends what is due', async () => {
    bench.file('dead', '');
    await asked();
    const [{ id }] = (await listed('--dead')) as [DeliveryRow];
    rmSync(bench.path('dead'));
    bench.file('up', '');
    expect(await bench.run('deliveries', '--retry', id, '--as', 'user:ann')).toMatchObject({
      code: 0,
      stdout: '1 message to be tried anew.\n',
    });
    expect(await listed()).toMatchObject([{ id, status: 'waiting', attempts: 0 }]);
    expect(await bench.run('deliveries', '--send')).toMatchObject({ code: 0 });
    expect(await listed()).toEqual([]);
    expect(readFileSync(bench.path('sent'), 'utf8')).toBe(`${id}\n${id}\n`);
  });

  it('discards dead letters for a reason', async () => {
    bench.file('dead', '');
    await asked();
    expect(await bench.json('deliveries', '--discard', 'all')).toMatchObject({
      code: 2,
      json: { error: { code: 'Usage' } },
    });
    expect(await bench.run('deliveries', '--discard', 'all', '--reason', 'old')).toMatchObject({
      code: 0,
      stdout: '1 message discarded.\n',
    });
    expect(await listed()).toEqual([]);
  });

  it('refuses what is no dead letter, and two things at once', async () => {
    await asked();
    const [{ id }] = (await listed()) as [DeliveryRow];
    expect(await bench.json<ErrorJson>('deliveries', '--retry', id)).toMatchObject({
      code: 2,
      json: { error: { code: 'UnknownDelivery' } },
    });
    expect(await bench.json('deliveries', '--retry', 'all', '--send')).toMatchObject({ code: 2 });
  });
});
