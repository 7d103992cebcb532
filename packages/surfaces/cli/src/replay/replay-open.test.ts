import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunJson } from '../testing/documents.ts';
import { Workbench } from '../testing/workbench.ts';

interface Checked {
  readonly ok: boolean;
  readonly checked: readonly string[];
  readonly runs: readonly {
    readonly runId: string;
    readonly ok: boolean;
    readonly problems: readonly { readonly code: string; readonly reason: string }[];
  }[];
}

/** @param body of the handler, which is not part of the version. */
function graphOf(body: string): string {
  return `import { appendFileSync } from 'node:fs';
import { defineGraph } from 'signalbox';
import { z } from 'zod';
const g = defineGraph({ name: 'payer', input: z.object({}) });
const pay = g.step(async ctx => {
  const log = (word: string) => ctx.run(word, () => { appendFileSync(${JSON.stringify(bench.path('done.txt'))}, word + ' '); return word; });
${body}
  return { done: true };
});
export const graph = g.build({ entry: 'pay', nodes: { pay }, routes: {} });
`;
}

const ASK =
  "await ctx.ask('sure', { kind: 'confirmation', title: 'Sure?', deadline: { after: '1h', onExpire: 'fail' } });";
const FIRST = `  await log('quote');
  ${ASK}
  await log('pay');`;

let bench: Workbench;
let runId: string;

beforeEach(async () => {
  bench = new Workbench();
  bench.file('first.ts', graphOf(FIRST));
  const { json } = await bench.json<RunJson>('run', 'first.ts');
  runId = json.runId;
});
afterEach(() => bench.remove());

async function check(file: string): Promise<{ code: number; json: Checked }> {
  return await bench.json<Checked>('replay', '--open', '--graph', file);
}

describe('replay --open', () => {
  it('finds a build that does the same, writes nothing and does no effect', async () => {
    const before = (await bench.json('events', runId)).json;
    const done = readFileSync(bench.path('done.txt'), 'utf8');
    expect(await check('first.ts')).toMatchObject({
      code: 0,
      json: { ok: true, runs: [{ runId, ok: true, problems: [] }] },
    });
    expect((await bench.json('events', runId)).json).toEqual(before);
    expect(readFileSync(bench.path('done.txt'), 'utf8')).toBe(done);
  });

  it('tells a build without the code', async () => {
    expect(await bench.json('replay', '--open')).toMatchObject({
      code: 1,
      json: { runs: [{ problems: [{ code: 'HandlerMissing' }] }] },
    });
  });

  it.each([
    ['an operation before the wait is new', `  await log('quote');\n  await log('check');\n  ${ASK}`, 'check'],
    ['an operation before the wait is gone', `  ${ASK}`, ''],
    ['another question is asked', `  await log('quote');\n  ${ASK.replace('Sure?', 'Really?')}`, ''],
    ['it waits no more', "  await log('quote');", ''],
  ])('tells a build in which %s', async (_, body, reason) => {
    bench.file('next.ts', graphOf(body));
    const done = readFileSync(bench.path('done.txt'), 'utf8');
    const { code, json } = await check('next.ts');
    expect(code).toBe(1);
    expect(json.runs[0]!.problems).toMatchObject([
      { code: 'NonDeterminismError', reason: expect.stringContaining(reason) },
    ]);
    expect(readFileSync(bench.path('done.txt'), 'utf8')).toBe(done);
  });

  it('takes what changes only behind the wait', async () => {
    const done = readFileSync(bench.path('done.txt'), 'utf8');
    bench.file('next.ts', graphOf(FIRST.replace("log('pay')", "log('transfer')")));
    expect((await check('next.ts')).code).toBe(0);
    expect(readFileSync(bench.path('done.txt'), 'utf8')).toBe(done);
  });

  it('takes a handler that waits beside another', async () => {
    const text = `import { defineGraph } from 'signalbox';
import { z } from 'zod';
const g = defineGraph({ name: 'pair', input: z.object({}) });
const begin = g.step(() => ({}));
const ask = g.step(async ctx => {
  await ctx.run('quote', () => 1);
  await ctx.ask('sure', { kind: 'confirmation', title: 'Sure?' });
});
const work = g.step(async ctx => {
  await ctx.sleep('later', '1h');
  await ctx.run('do', () => 1);
});
export const graph = g.build({ entry: 'begin', nodes: { begin, ask, work }, routes: { begin: [{ to: ['ask', 'work'] }] } });
`;
    bench.file('pair.ts', text);
    await bench.run('cancel', runId, '--graph', 'first.ts');
    expect((await bench.run('run', 'pair.ts')).code).toBe(10);
    expect(await check('pair.ts')).toMatchObject({ code: 0, json: { runs: [{ ok: true, problems: [] }] } });
  });
});
