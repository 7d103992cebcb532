import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunJson } from '../testing/documents.ts';
import { PAYING_AGENT } from '../testing/graphs.ts';
import { Workbench } from '../testing/workbench.ts';

let bench: Workbench;
let run: RunJson;

beforeAll(async () => {
  bench = new Workbench();
  bench.file('signalbox.config.ts', PAYING_AGENT);
  run = (await bench.json<RunJson>('run', 'payer')).json;
});
afterAll(() => bench.remove());

const SHOWN = '{"order":"R-17","pin":"***"}';

it('whoever is asked whether a call happened is shown its arguments, with what is sensitive masked', async () => {
  expect(run.requests).toMatchObject([{ about: 'doubt', context: { arguments: SHOWN } }]);
  for (const command of [
    ['show', run.runId],
    ['resume', run.runId],
  ])
    expect((await bench.run(...command)).stdout).toContain(`arguments ${SHOWN}\n`);
  expect((await bench.json('inbox')).json).toMatchObject({ requests: [{ context: { arguments: SHOWN } }] });
  expect((await bench.run('timeline', run.runId)).stdout).toContain(`pay#1 is about to be done (once) with ${SHOWN}`);
  const log = await bench.run('events', run.runId, '--json');
  expect(log.stdout).not.toContain('48151623');
});
