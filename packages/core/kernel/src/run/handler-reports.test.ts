import { describe, expect, it } from 'vitest';
import type { DecisionData } from '../event/run-event.ts';
import type { NodeDefinition } from '../graph/definition.ts';
import type { RequestDefinition } from '../request/definition.ts';
import type { FirstMember, OpReport } from './command.ts';
import { graph, Scenario } from './testing/scenario.ts';

const step: NodeDefinition = { type: 'step', handler: 'work', timeout: '5s' };
const ref = { token: '', node: 'a', visit: 1 };

function reported(op: OpReport): Scenario {
  const s = new Scenario(graph({ nodes: { a: step } }), { a: () => 'busy' }).start();
  s.report(ref, { ops: [op] });
  return s;
}

describe('a question that a handler makes up', () => {
  const good = { kind: 'form', title: 'OK?', fields: [{ name: 'ok', type: 'boolean', label: 'OK' }] };

  it('is opened when it is well put', () => {
    const s = reported({ type: 'ask', op: 'q#1', digest: '', request: good as RequestDefinition });
    expect(s.open).toEqual(['a']);
  });

  it.each([
    ['no title', { ...good, title: undefined }],
    ['an unknown kind', { ...good, kind: 'riddle' }],
    ['a field of an unknown type', { ...good, fields: [{ name: 'ok', type: 'bool', label: 'OK' }] }],
    ['a bad deadline', { ...good, deadline: { after: 'soon', onExpire: 'fail' } }],
    ['a bad showIf', { ...good, fields: [{ ...good.fields[0], showIf: 'values.' }] }],
    ['a bad template', { ...good, title: { cel: '1 +' } }],
    ['nothing', null],
  ])('with %s is an error of its operation, and nobody is asked', (_, request) => {
    const op: OpReport = { type: 'ask', op: 'q#1', digest: 'd', request: request as unknown as RequestDefinition };
    const first: OpReport = { type: 'first', op: 'q#1', digest: 'd', of: { q: { ask: op.request } } };
    for (const report of [op, first]) {
      const s = reported(report);
      expect(s.of('op.recorded')).toMatchObject([{ op: 'q#1', digest: 'd', error: { code: 'InvalidRequest' } }]);
      expect(s.open).toEqual([]);
    }
  });
});

describe('a wait that a handler makes up', () => {
  it.each([
    {},
    { x: {} },
    { x: null },
    { x: { for: '1m', signal: 's' } },
    { x: { signal: '' } },
    { x: { for: 'long' } },
  ])('for the first of %j is an error of its operation', of => {
    const members = of as unknown as Readonly<Record<string, FirstMember>>;
    const s = reported({ type: 'first', op: 'first#1', digest: '', of: members });
    expect(s.of('op.recorded')).toMatchObject([{ error: { code: 'InvalidWait', permanent: true } }]);
  });
});

describe('a decision that a handler makes up', () => {
  const decide = (decision: object) => reported({ type: 'decide', op: 'd#1', decision: decision as DecisionData });

  it('stands for the node of its handler alone, whatever else it says', () => {
    const forged = { point: 'p', chosen: 1, token: 'x', node: 'boss', visit: 9, op: 'q', extra: true };
    const s = decide({ ...forged, reason: 'so', confidence: 0.5, decidedBy: 'model:m' });
    const data = { ...ref, op: 'd#1', point: 'p', chosen: 1, reason: 'so', confidence: 0.5, decidedBy: 'model:m' };
    expect(s.of('decision.made')).toEqual([data]);
  });

  it.each([
    { decidedBy: 'human:boss' },
    { decidedBy: 'model:m\nhuman' },
    { confidence: 'high' },
    { options: 'a' },
    { rejected: [{ reason: 'x' }] },
    { reason: 7 },
    { chosen: undefined },
  ])('with %j fails its node', member => {
    const s = decide({ point: 'p', chosen: 1, ...member });
    expect(s.of('decision.made')).toEqual([]);
    expect(s.run.error?.code).toBe('InvalidValue');
  });
});
