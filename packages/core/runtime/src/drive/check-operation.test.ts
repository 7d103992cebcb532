import { digestOf } from '@signalbox/kernel';
import { expect, it } from 'vitest';
import { codeGraph } from '../journal/testing/code-graph.ts';
import { startWorld } from '../journal/testing/world.ts';
import { Secrets } from '../sensitive/secrets.ts';
import { checkOperation } from './check-operation.ts';

const SUBJECT = { node: 'pay', input: { sum: 5 }, state: {} };

it('what a check says is named after 128 bits of what it was asked about', async () => {
  const check = { name: 'policy', before: () => ({ verdict: 'ask', title: 'May it?' }) as const };
  const world = await startWorld(codeGraph({ a: () => 1 }), { checks: [check] });
  const opened = (await world.events()).find(({ type }) => type === 'request.opened');
  expect(opened?.data.op).toMatch(/^check:policy:[0-9a-f]{32}#1$/);
  expect(checkOperation({ semantics: 2 }, 'policy', SUBJECT, new Secrets())).not.toEqual(
    checkOperation({ semantics: 2 }, 'policy', { ...SUBJECT, input: { sum: 6 } }, new Secrets()),
  );
});

it('in a run of before it keeps its short name, by which its answer is found', () => {
  expect(checkOperation({ semantics: 1 }, 'policy', SUBJECT, new Secrets())).toEqual({
    op: `check:policy:${digestOf(SUBJECT).slice(0, 16)}`,
  });
});
