import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ErrorJson, RunJson } from '../testing/documents.ts';
import { DESK } from '../testing/graphs.ts';
import { Workbench } from '../testing/workbench.ts';

interface Executed {
  readonly runId: string;
  readonly same: boolean;
  readonly from: number;
  readonly to: number;
  readonly difference?: {
    readonly seq: number;
    readonly text: string;
    readonly left: unknown;
    readonly right: unknown;
  };
}

/** @param price what the handler gives out: not part of the version. */
function shop(price: string): string {
  return `import { appendFileSync } from 'node:fs';
import { defineGraph } from 'signalbox';
import { z } from 'zod';
const g = defineGraph({ name: 'shop', input: z.object({}) });
const sell = g.step(async ctx => {
  const quote = await ctx.run('quote', () => { appendFileSync(${JSON.stringify(bench.path('done.txt'))}, 'quoted '); return 12; });
  await ctx.ask('sure', { kind: 'confirmation', title: 'Sure?' });
  return ${price};
});
export const graph = g.build({ entry: 'sell', nodes: { sell }, routes: {} });
`;
}

let bench: Workbench;
beforeEach(() => {
  bench = new Workbench();
});
afterEach(() => bench.remove());

async function sold(): Promise<string> {
  bench.file('shop.ts', shop('quote'));
  const { json } = await bench.json<RunJson>('run', 'shop.ts');
  await bench.run('answer', json.runId, '--action', 'approve', '--graph', 'shop.ts');
  return json.runId;
}

describe('replay --execute', () => {
  it('finds that a build does the same: it says how far, writes nothing and does no effect', async () => {
    const runId = await sold();
    const before = (await bench.json('events', runId)).json;
    const { code, json } = await bench.json<Executed>('replay', runId, '--execute', '--graph', 'shop.ts');
    expect({ code, json }).toMatchObject({ code: 0, json: { runId, same: true, from: 1 } });
    expect((await bench.json('events', runId)).json).toEqual(before);
    expect(readFileSync(bench.path('done.txt'), 'utf8')).toBe('quoted ');
    const { stdout } = await bench.run('replay', runId, '--execute', '--graph', 'shop.ts');
    expect(stdout).toBe(`✓ Events 1 to ${json.to} come out the same with this build.\n`);
  });

  it('tells the first difference: event, node, what was recorded and what comes now', async () => {
    const runId = await sold();
    bench.file('next.ts', shop('quote + 1'));
    const { code, stdout } = await bench.run('replay', runId, '--execute', '--graph', 'next.ts');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^✗ event \d+ of node "sell": node\.succeeded \/data\/output: recorded 12, now 13$/m);
    const { json } = await bench.json<Executed>('replay', runId, '--execute', '--graph', 'next.ts');
    expect(json).toMatchObject({ same: false, difference: { left: 12, right: 13, node: { node: 'sell' } } });
  });

  it('needs no code for a graph of built-in types', async () => {
    bench.file('desk.yaml', DESK);
    const { json } = await bench.json<RunJson>('run', 'desk.yaml', '--input', '{"message":"hi"}');
    await bench.run('answer', json.runId, '--values', '{"amount":7}');
    expect(await bench.json<Executed>('replay', json.runId, '--execute')).toMatchObject({
      code: 0,
      json: { same: true },
    });
  });

  it('tells code that is missing', async () => {
    const runId = await sold();
    const { code, stdout } = await bench.run('replay', runId, '--execute');
    expect(code).toBe(1);
    expect(stdout).toContain('this build has no code for shop/sell@1');
  });

  it('takes whole runs: --until is no part of it', async () => {
    for (const argv of [['run_x', '--execute', '--until', '3'], ['--open', '--until', '3'], ['--execute']])
      expect(await bench.json<ErrorJson>('replay', ...argv)).toMatchObject({
        code: 2,
        json: { error: { code: 'Usage' } },
      });
  });
});
