import { describe, expect, it } from 'vitest';
import type { NodeDefinition } from '../graph/definition.ts';
import { done, graph, Scenario, type Script } from './testing/scenario.ts';

const step: NodeDefinition = { type: 'step', handler: 'work', timeout: '5s' };
const definition = graph({ nodes: { a: step } });
const ref = { token: '', node: 'a', visit: 1 };

/** A node whose driver died between the intent of `pay#1` and its record; `script` is what the next driver finds. */
function crashed(onDoubt?: 'ask' | 'retry' | 'fail', extra = {}, script: Script[string] = () => 'busy') {
  let dead = false;
  const s = new Scenario(definition, { a: call => (dead ? script!(call) : 'busy') }).start({}, extra);
  const intend = { type: 'intend' as const, op: 'pay#1', kind: 'tool' as const, digest: 'd', class: 'once' as const };
  s.report(ref, { ops: [{ ...intend, ...(onDoubt === undefined ? {} : { onDoubt }) }] });
  dead = true;
  s.act({ type: 'claim', owner: 'second', build: 'b1' });
  s.act({ type: 'doubt', term: 2, ...ref, op: 'pay#1' });
  return s;
}

const op = (s: Scenario) => {
  const at = s.run.tokens.get('')!.at;
  return at.kind === 'node' ? at.journal.get('pay#1') : undefined;
};

describe('an operation in doubt', () => {
  it('is put to a human by default, and the run waits for the word', () => {
    const s = crashed();
    expect(s.status).toBe('suspended');
    expect([...s.run.requests.values()]).toMatchObject([{ about: 'doubt', op: 'pay#1' }]);
    s.send({ type: 'answer', values: { outcome: 'done', result: '{"paid": true}' } });
    expect(op(s)).toMatchObject({ status: 'recorded', kind: 'tool', value: { paid: true } });
    expect(s.status).toBe('running');
  });

  it('is done again, or given up, as the human says', () => {
    const repeated = crashed();
    repeated.send({ type: 'answer', values: { outcome: 'repeat' } });
    expect(op(repeated)).toBeUndefined();
    expect(repeated.status).toBe('running');
    const failed = crashed();
    failed.send({ type: 'answer', values: { outcome: 'fail' } });
    expect(op(failed)).toMatchObject({ status: 'recorded', kind: 'tool', error: { code: 'InDoubt' } });
  });

  it('takes no result that is no JSON: the answer is refused at its place, and the question stays open', () => {
    const s = crashed();
    const [request] = [...s.run.requests.keys()];
    const { refusal } = s.tryAnswer(request, { values: { outcome: 'done', result: '{"paid": yes}' } });
    expect(refusal).toMatchObject({
      code: 'InvalidAnswer',
      details: { issues: [{ pointer: '/result', code: 'json' }] },
    });
    expect([...s.run.requests.keys()]).toEqual([request]);
    s.send({ type: 'answer', values: { outcome: 'done', result: '"booked as 77"' } });
    expect(op(s)?.value).toBe('booked as 77');
  });

  it('of a further attempt is named without a key: that of a tool tells the attempt in which it was judged', () => {
    const s = new Scenario(graph({ nodes: { a: { ...step, retry: { attempts: 2, backoff: '10ms' } } } }), {
      a: () => 'busy',
    }).start();
    s.report(ref, { end: { type: 'failed', error: { code: 'Busy', message: 'later' } } });
    s.advance(10);
    s.report(ref, { ops: [{ type: 'intend', op: 'pay#1', kind: 'tool', digest: 'd', class: 'once' }] });
    s.act({ type: 'claim', owner: 'second', build: 'b1' });
    s.act({ type: 'doubt', term: 2, ...ref, op: 'pay#1' });
    const [request] = [...s.run.requests.values()];
    expect(request?.definition?.context).toMatchObject({ operation: 'a#1/pay#1' });
    expect(request?.definition?.context).not.toHaveProperty('idempotencyKey');
  });

  it('is named in its question, with its key and the time it was begun', () => {
    const [request] = [...crashed().run.requests.values()];
    expect(request?.title).toBe('Did "pay" happen? (node a)');
    expect(request?.definition?.context).toEqual({
      operation: 'a#1/pay#1',
      begun: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      idempotencyKey: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it('tells in its question what its intent says of its arguments, as text that is no template', () => {
    const s = new Scenario(definition, { a: () => 'busy' }).start();
    const request = { arguments: { to: 'IBAN 1', amount: { cel: '1 + 1' } } };
    s.report(ref, { ops: [{ type: 'intend', op: 'pay#1', kind: 'tool', digest: 'd', class: 'once', request }] });
    expect(s.of('op.intended')).toMatchObject([{ request }]);
    s.act({ type: 'claim', owner: 'second', build: 'b1' });
    s.act({ type: 'doubt', term: 2, ...ref, op: 'pay#1' });
    const [question] = [...s.run.requests.values()];
    expect(question?.definition?.context).toMatchObject({
      operation: 'a#1/pay#1',
      arguments: '{"to":"IBAN 1","amount":{"cel":"1 + 1"}}',
    });
    s.send({ type: 'answer', values: { outcome: 'done' } });
    expect(op(s)).not.toHaveProperty('request');
  });

  it('is tried again with its key where that was declared, or fails', () => {
    const s = crashed('retry');
    expect(s.events.at(-1)?.type).toBe('op.retried');
    expect(op(s)).toBeUndefined();
    expect(s.status).toBe('running');
    expect(op(crashed('fail'))).toMatchObject({ error: { code: 'InDoubt' } });
  });

  it('is given up in a run that may not ask or that nobody attends', () => {
    for (const decisions of ['off', 'unattended'] as const) {
      const s = crashed(undefined, { decisions });
      expect(op(s)).toMatchObject({ error: { code: 'InDoubt' } });
      expect(s.of('request.opened')).toEqual([]);
    }
  });

  it('ends with its node in a run that is being cancelled', () => {
    const s = new Scenario(definition, { a: () => 'busy' }).start();
    s.report(ref, { ops: [{ type: 'intend', op: 'pay#1', kind: 'run', digest: '', class: 'once' }] });
    s.act({ type: 'cancel', reason: 'x' });
    s.act({ type: 'claim', owner: 'second', build: 'b' });
    s.act({ type: 'doubt', term: 2, ...ref, op: 'pay#1' });
    expect(s.of('op.doubted')).toHaveLength(1);
    expect(s.status).toBe('cancelled');
  });

  it('is none when its result was recorded', () => {
    const s = new Scenario(definition, { a: () => 'busy' }).start();
    const pay = { op: 'pay#1', kind: 'run' as const, digest: '' };
    s.report(ref, {
      ops: [
        { type: 'intend', ...pay, class: 'once' },
        { type: 'record', ...pay, value: 1 },
      ],
    });
    expect(s.send({ type: 'doubt', term: 1, ...ref, op: 'pay#1' })).toEqual({ events: [] });
    expect(s.finish('a', done()).status).toBe('completed');
  });

  it('is asked about anew each time, with an answer of its own', () => {
    const s = crashed();
    const [first] = [...s.run.requests.keys()];
    s.send({ type: 'answer', values: { outcome: 'repeat' } });
    s.report(ref, { ops: [{ type: 'intend', op: 'pay#1', kind: 'tool', digest: 'd', class: 'once' }] });
    s.act({ type: 'claim', owner: 'third', build: 'b1' });
    s.act({ type: 'doubt', term: 3, ...ref, op: 'pay#1' });
    const [second] = [...s.run.requests.keys()];
    expect(second).not.toBe(first);
    expect(s.tryAnswer(first, { values: { outcome: 'fail' } }).refusal?.code).toBe('AlreadyAnswered');
    expect(s.run.closedRequests.get(first!)?.answer?.values).toEqual({ outcome: 'repeat' });
  });

  it('stays in doubt when its node is retried by the controller', () => {
    const s = new Scenario(definition, { a: () => 'busy' }).start();
    s.report(ref, { ops: [{ type: 'intend', op: 'pay#1', kind: 'tool', digest: 'd', class: 'once' }] });
    s.report(ref, { end: { type: 'failed', error: { code: 'Timeout', message: 'too long' } } });
    s.act({ type: 'retry', reason: 'again' });
    expect(op(s)).toMatchObject({ status: 'intended', class: 'once' });
    s.act({ type: 'doubt', term: 1, ...ref, visit: 2, op: 'pay#1' });
    expect([...s.run.requests.values()]).toMatchObject([{ about: 'doubt', op: 'pay#1' }]);
    s.send({ type: 'answer', values: { outcome: 'done', result: '7' } });
    expect(op(s)).toMatchObject({ status: 'recorded', value: 7, adopted: true });
  });

  it('which a live handler reports is asked about while it goes on, and its own record closes the question', () => {
    const s = new Scenario(definition, { a: () => 'busy' }).start();
    const pay = { op: 'pay#1', kind: 'run' as const, digest: '' };
    s.report(ref, { ops: [{ type: 'intend', ...pay, class: 'once' }] });
    s.report(ref, { ops: [{ type: 'doubt', op: 'pay#1' }] });
    expect(s.of('node.suspended')).toEqual([]);
    expect([...s.run.requests.values()]).toMatchObject([{ about: 'doubt', op: 'pay#1' }]);
    s.report(ref, { end: { type: 'suspended', ops: ['pay#1'] } });
    expect(s.status).toBe('suspended');
    s.report(ref, { ops: [{ type: 'record', ...pay, value: 7 }] });
    expect(op(s)).toMatchObject({ status: 'recorded', value: 7 });
    expect(s.open).toEqual([]);
    expect(s.status).toBe('running');
  });

  const intend = { type: 'intend' as const, op: 'pay#1', kind: 'run' as const, digest: '', class: 'once' as const };
  const paid = { type: 'record' as const, op: 'pay#1', kind: 'run' as const, digest: '', value: 'paid' };

  it('is taken over when its node is begun anew by name, as what it recorded is', () => {
    const done = new Scenario(definition, { a: () => 'busy' }).start();
    done.report(ref, { ops: [intend, paid] });
    done.act({ type: 'retry', node: 'a', reason: 'hangs' });
    expect(done.of('run.jumped')).toMatchObject([{ adopt: 1 }]);
    expect(op(done)).toMatchObject({ status: 'recorded', value: 'paid', adopted: true });
    const begun = new Scenario(definition, { a: () => 'busy' }).start();
    begun.report(ref, { ops: [{ ...intend, onDoubt: 'retry' }] });
    begun.act({ type: 'retry', node: 'a', reason: 'hangs' });
    expect(op(begun)).toMatchObject({ status: 'intended', class: 'once', from: 1 });
    begun.act({ type: 'doubt', term: 1, ...ref, visit: 2, op: 'pay#1' });
    expect(begun.of('op.retried'), 'a further visit has another key').toEqual([]);
    expect([...begun.run.requests.values()]).toMatchObject([{ about: 'doubt', op: 'pay#1' }]);
  });

  it('is settled by the record of the visit that was left, wherever it was taken over to', () => {
    const s = new Scenario(definition, { a: () => 'busy' }).start();
    s.report(ref, { ops: [intend] });
    s.act({ type: 'pause', reason: 'x' }).act({ type: 'retry', node: 'a', reason: 'hangs' });
    const pending = s.until(s.run.seq);
    pending.report(ref, { ops: [paid] });
    pending.act({ type: 'resume', reason: 'x' });
    expect(op(pending)).toMatchObject({ status: 'recorded', value: 'paid', adopted: true });

    s.act({ type: 'resume', reason: 'x' });
    s.act({ type: 'retry', node: 'a', reason: 'hangs still' });
    s.act({ type: 'doubt', term: 1, ...ref, visit: 3, op: 'pay#1' });
    expect(s.open).toEqual(['a']);
    s.report(ref, { ops: [paid] });
    expect(op(s)).toMatchObject({ status: 'recorded', value: 'paid', adopted: true });
    expect(s.open).toEqual([]);
    expect(s.status).toBe('running');

    const failed = new Scenario(definition, { a: () => 'busy' }).start();
    failed.report(ref, { ops: [intend], end: { type: 'failed', error: { code: 'Timeout', message: 'too long' } } });
    failed.report(ref, { ops: [paid] });
    failed.act({ type: 'retry', reason: 'again' });
    expect(op(failed)).toMatchObject({ status: 'recorded', value: 'paid', adopted: true });
  });
});
