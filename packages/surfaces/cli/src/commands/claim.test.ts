import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ErrorJson, RunJson } from '../testing/documents.ts';
import { DESK } from '../testing/graphs.ts';
import { Workbench } from '../testing/workbench.ts';

let bench: Workbench;

beforeAll(() => {
  bench = new Workbench();
  bench.file('desk.yaml', DESK);
});
afterAll(() => bench.remove());

async function ask(): Promise<string> {
  return (await bench.json<RunJson>('run', 'desk.yaml', '--input', '{"message":"hi"}')).json.requests[0]!.id;
}

const tried = async (...argv: string[]) => {
  const { code, json } = await bench.json<RunJson & Partial<ErrorJson>>(...argv);
  return [code, json.error?.code ?? json.status];
};

it('a question is claimed, kept from others, taken over and given back', async () => {
  const id = await ask();
  expect(await tried('claim', id, '--as', 'user:mia')).toEqual([0, 'suspended']);
  expect(await tried('claim', id, '--as', 'user:li')).toEqual([1, 'AlreadyClaimed']);
  expect(await tried('answer', id, '--action', 'reject', '--as', 'user:li')).toEqual([1, 'AlreadyClaimed']);
  expect(await tried('claim', id, '--as', 'user:li', '--take-over')).toEqual([0, 'suspended']);
  expect(await tried('release', id, '--as', 'user:li', '--reason', 'lunch')).toEqual([0, 'suspended']);
  expect(await tried('release', id, '--as', 'user:li')).toEqual([1, 'NotClaimed']);
});

it('a question is withdrawn, and whoever answers later is told why', async () => {
  const id = await ask();
  expect(await tried('withdraw', id, '--as', 'user:mia', '--reason', 'sent twice')).toEqual([0, 'completed']);
  const { json } = await bench.json<ErrorJson>('answer', id, '--action', 'approve');
  expect(json.error).toMatchObject({ code: 'RequestClosed' });
  expect(json.error.message).toContain('sent twice');
});
