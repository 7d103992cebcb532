import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunJson } from './testing/documents.ts';
import { CODE_GRAPH, DESK } from './testing/graphs.ts';
import { Workbench } from './testing/workbench.ts';

const PAUSED_MS = 120_000;

let bench: Workbench;

beforeAll(() => {
  bench = new Workbench();
  bench.file('desk.yaml', DESK);
});
afterAll(() => bench.remove());

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise(proceed => setTimeout(proceed, 20));
}

describe('the signalbox command as processes', () => {
  it(
    'asks in one process and is answered in another',
    async () => {
      const asked = await bench.bin('run', 'desk.yaml', '--input', '{"message":"hi"}', '--json').ended;
      expect(asked).toMatchObject({ code: 10, stderr: '' });
      const { runId, requests } = JSON.parse(asked.stdout) as RunJson;
      const inbox = await bench.bin('inbox').ended;
      expect(inbox.code).toBe(0);
      expect(inbox.stdout).toContain(requests[0]!.id);
      const refused = await bench.bin('answer', requests[0]!.id).ended;
      expect(refused).toMatchObject({ code: 2, stdout: '' });
      const answered = await bench.bin('answer', requests[0]!.id, '--values', '{"amount":12}').ended;
      expect(answered).toMatchObject({ code: 0, stderr: '' });
      expect(answered.stdout).toContain('{"reply":"refunded 12"}');
      expect((await bench.bin('show', runId).ended).stdout).toMatch(/^prepare → review → done \(completed/);
      expect((await bench.bin('answer', requests[0]!.id, '--action', 'reject', '--json').ended).code).toBe(1);
    },
    PAUSED_MS,
  );

  it(
    'goes on after the process was killed, and does nothing twice',
    async () => {
      const shop = new Workbench();
      shop.file('slow.ts', CODE_GRAPH);
      const first = shop.bin('run', 'slow.ts');
      await until(() => existsSync(shop.path('begun.txt')));
      const atWork = (await shop.json<{ runs: { runId: string }[] }>('runs')).json.runs[0]!.runId;
      expect((await shop.json('show', atWork)).json).toMatchObject({ status: 'running', driven: true });
      expect((await shop.run('show', atWork)).stdout).not.toContain('nobody');
      first.kill('SIGKILL');
      await first.ended;
      const { json } = await shop.json<{ runs: { runId: string; status: string }[] }>('runs');
      expect(json.runs).toMatchObject([{ status: 'running' }]);
      const { runId } = json.runs[0]!;
      await until(async () => (await shop.run('show', runId)).stdout.includes('nobody drives it'));
      expect((await shop.run('show', runId)).stdout).toContain(`nobody drives it; go on: signalbox resume ${runId}\n`);
      expect((await shop.json('show', runId)).json).toMatchObject({ status: 'running', driven: false });
      const second = await shop.bin('resume', json.runs[0]!.runId, '--graph', 'slow.ts', '--json').ended;
      expect(second).toMatchObject({ code: 0, stderr: '' });
      expect(JSON.parse(second.stdout)).toMatchObject({ status: 'completed', output: { ok: true } });
      expect(readFileSync(shop.path('done.txt'), 'utf8')).toBe('paid sent ');
      shop.remove();
    },
    PAUSED_MS,
  );

  it(
    'stops in good order at Ctrl-C, says how to go on, and without its code says that it is missing',
    async () => {
      const shop = new Workbench();
      shop.file('slow.ts', CODE_GRAPH);
      const first = shop.bin('run', 'slow.ts');
      await until(() => existsSync(shop.path('begun.txt')));
      first.kill('SIGINT');
      const stopped = await first.ended;
      expect(stopped.code).toBe(130);
      const runId = /signalbox resume (run_\S+)/.exec(stopped.stderr)?.[1];
      const lost = await shop.bin('resume', String(runId), '--json').ended;
      expect(lost.code).toBe(10);
      expect(JSON.parse(lost.stdout)).toMatchObject({ status: 'suspended', reason: 'handlerMissing' });
      expect(await shop.json('replay', '--open')).toMatchObject({
        code: 1,
        json: { ok: false, runs: [{ runId, problems: [{ code: 'HandlerMissing' }, { code: 'HandlerMissing' }] }] },
      });
      expect(await shop.json('replay', '--open', '--graph', 'slow.ts')).toMatchObject({ code: 0, json: { ok: true } });
      expect((await shop.bin('resume', String(runId), '--graph', 'slow.ts').ended).code).toBe(0);
      expect(readFileSync(shop.path('done.txt'), 'utf8')).toBe('paid sent ');
      shop.remove();
    },
    PAUSED_MS,
  );

  it(
    'drives only the run that it was called for',
    async () => {
      const shop = new Workbench();
      shop.file('slow.ts', CODE_GRAPH);
      shop.file('desk.yaml', DESK);
      const first = shop.bin('run', 'slow.ts');
      await until(() => existsSync(shop.path('begun.txt')));
      first.kill('SIGKILL');
      await first.ended;
      await new Promise(proceed => setTimeout(proceed, 3_500));
      const other = await shop.bin('run', 'desk.yaml', '--graph', 'slow.ts', '--input', '{"message":"hi"}').ended;
      expect(other.code).toBe(10);
      expect(readFileSync(shop.path('done.txt'), 'utf8')).toBe('paid ');
      shop.remove();
    },
    PAUSED_MS,
  );

  it(
    'ends quietly when nobody reads on',
    async () => {
      const process = bench.bin('--help');
      process.stopReading();
      expect(await process.ended).toMatchObject({ code: 0, stderr: '' });
    },
    PAUSED_MS,
  );
});
