import { describe, expect, it } from 'vitest';
import type { NodeDefinition, WaitNode } from '../graph/definition.ts';
import type { RequestDefinition } from '../request/definition.ts';
import type { OpReport } from './command.ts';
import { done, graph, type Played, Scenario, type Script, T0 } from './testing/scenario.ts';

const step: NodeDefinition = { type: 'step', handler: 'work', timeout: '5s' };
const MINUTE = 60_000;
const override: RequestDefinition = {
  kind: 'form',
  title: 'Override?',
  fields: [{ name: 'override', type: 'boolean', label: 'Override', required: true }],
};

function waiting(wait: Omit<WaitNode, 'type'>, zone = 'UTC') {
  return graph({
    zone,
    nodes: { hold: { type: 'wait', ...wait }, after: step },
    routes: { hold: [{ to: ['after'] }] },
  });
}

/** A handler that asks for `ops` until `last` is recorded. */
function until(last: string, ops: readonly OpReport[]): Script[string] {
  return ({ task }): Played => {
    const record = task.execution!.journal.get(last);
    if (record?.status === 'recorded') return done(record.value ?? null);
    return { ops, end: { type: 'suspended', ops: ops.map(({ op }) => op) } };
  };
}

describe('a wait node', () => {
  it('waits for a duration, a time, and a time that an expression gives', () => {
    const at = "'2026-03-02T' + '10:00:00'";
    for (const wait of [{ for: '1h' }, { until: '2026-03-02T10:00:00' }, { until: { cel: at } }]) {
      const s = new Scenario(waiting(wait)).start().advance(59 * MINUTE);
      expect(s.status).toBe('suspended');
      s.advance(MINUTE);
      expect(s.status).toBe('completed');
      expect(s.at).toBe(T0 + 60 * MINUTE);
    }
  });

  it('C09: a local time is read in the declared zone; in a gap it moves on, of a double one the earlier holds', () => {
    const zones: [string, string, string][] = [
      ['Asia/Taipei', '2026-05-04T09:00:00', '2026-05-04T01:00:00Z'],
      ['Asia/Taipei', '2026-05-04T09:00:00+02:00', '2026-05-04T07:00:00Z'],
      ['America/New_York', '2026-03-08T02:30:00', '2026-03-08T07:30:00Z'],
      ['America/New_York', '2026-11-01T01:30:00', '2026-11-01T05:30:00Z'],
    ];
    for (const [zone, until, wakes] of zones) {
      const s = new Scenario(waiting({ until }, zone)).start();
      expect([...s.run.timers.values()].map(timer => timer.at)).toEqual([Date.parse(wakes)]);
    }
  });

  it('goes on at once when its time is past', () => {
    expect(new Scenario(waiting({ until: '2026-03-02T08:00:00' })).start().status).toBe('completed');
  });

  it('takes a signal that came before it was there, oldest first, each once', () => {
    const definition = graph({
      nodes: { first: step, one: { type: 'wait', signal: 'paid' }, two: { type: 'wait', signal: 'paid' } },
      routes: { first: [{ to: ['one'] }], one: [{ to: ['two'] }] },
      output: { one: 'nodes.one.output', two: "has(nodes.two) ? nodes.two.output : ''" },
    });
    const s = new Scenario(definition, { first: () => 'busy' }).start();
    s.act({ type: 'signal', name: 'paid', value: 'a' });
    s.act({ type: 'signal', name: 'other', value: 'x' });
    s.finish('first', done());
    expect(s.status).toBe('suspended');
    s.act({ type: 'signal', name: 'paid', value: 'b' });
    expect(s.status).toBe('completed');
    expect(s.of('node.succeeded').map(({ output }) => output)).toEqual([null, 'a', 'b']);
    expect([...s.run.signals.keys()]).toEqual(['other']);
  });

  it('gives one signal to one of several that wait, and the next to the next', () => {
    const definition = graph({
      nodes: { start: step, a: { type: 'wait', signal: 'go' }, b: { type: 'wait', signal: 'go' }, J: { type: 'join' } },
      routes: { start: [{ to: ['a', 'b'] }], a: [{ to: ['J'] }], b: [{ to: ['J'] }] },
    });
    const s = new Scenario(definition).start().act({ type: 'signal', name: 'go', value: 1 });
    expect(s.status).toBe('suspended');
    s.act({ type: 'signal', name: 'go', value: 2 });
    expect(s.run.output).toEqual([
      { status: 'arrived', output: 1 },
      { status: 'arrived', output: 2 },
    ]);
  });

  it('looks at its condition again whenever the state changes', () => {
    const definition = {
      ...waiting({ when: 'state.n >= 2' }),
      state: { n: { schema: { type: 'integer', default: 0 } } },
    };
    const s = new Scenario(definition).start().act({ type: 'edit', set: { n: 1 }, reason: 'test' });
    expect(s.status).toBe('suspended');
    s.act({ type: 'edit', set: { n: 2 }, reason: 'test' });
    expect(s.status).toBe('completed');
  });

  it('C08: the losing side of a race is closed in the same commit', () => {
    const race = waiting({ first: { paid: { signal: 'payment_ok' }, form: { ask: override }, late: { for: '1h' } } });
    const s = new Scenario(race).start().advance(5_000);
    const form = s.asked('hold')!;
    const before = s.steps.length;
    s.act({ type: 'signal', name: 'payment_ok', value: { order: 88 } });
    const types = s.steps[before]!.events.map(event => event.type);
    expect(types).toEqual(
      expect.arrayContaining(['signal.received', 'request.withdrawn', 'op.recorded', 'node.succeeded']),
    );
    expect(s.of('node.succeeded')[0]?.output).toEqual({ winner: 'paid', value: { order: 88 } });
    expect(s.status).toBe('completed');
    expect(s.at).toBe(T0 + 5_000);
    expect(s.run.requests.size + s.run.timers.size).toBe(0);
    const late = s.tryAnswer(form, { values: { override: true } });
    expect(late.refusal?.code).toBe('RequestClosed');
    expect(late.refusal?.message).toContain('superseded');
    expect(s.run.closedRequests.get(form)?.status).toBe('superseded');
  });

  it('C08: an answer or the clock can win as well', () => {
    const race = waiting({ first: { paid: { signal: 'payment_ok' }, form: { ask: override }, late: { for: '1h' } } });
    const answered = new Scenario(race).start().answer('hold', { values: { override: true } });
    expect(answered.of('node.succeeded')[0]?.output).toMatchObject({
      winner: 'form',
      value: { action: 'approve', values: { override: true } },
    });
    expect(answered.run.timers.size).toBe(0);
    const timed = new Scenario(race).start().advance(60 * MINUTE);
    expect(timed.of('node.succeeded')[0]?.output).toEqual({ winner: 'late', value: null });
    expect(timed.run.requests.size).toBe(0);
  });

  it('lets the clock win over a signal that comes after the time, though no timer fired yet', () => {
    const race = waiting({ first: { paid: { signal: 'ok' }, late: { for: '1h' } } });
    const s = new Scenario(race).start();
    s.at += 60 * MINUTE + 1;
    s.act({ type: 'signal', name: 'ok', value: 1 });
    expect(s.of('node.succeeded')[0]?.output).toEqual({ winner: 'late', value: null });
  });

  it('takes in a race a signal that is kept, and a condition that holds, at once', () => {
    const definition = graph({
      nodes: {
        first: step,
        race: { type: 'wait', first: { form: { ask: override }, sig: { signal: 's' }, yes: { when: 'true' } } },
      },
      routes: { first: [{ to: ['race'] }] },
    });
    const s = new Scenario(definition, { first: () => 'busy' }).start();
    s.act({ type: 'signal', name: 's', value: 1 });
    s.finish('first', done());
    expect(s.run.output).toEqual({ winner: 'sig', value: 1 });
    expect(s.of('request.opened')).toEqual([]);
  });
});

describe('a handler that waits', () => {
  it('sleeps, waits for signals and races, and gets what it waited for', () => {
    const sleeps: OpReport = { type: 'sleep', op: 'sleep#1', digest: 'd', until: { for: '10m' } };
    const slept = new Scenario(graph({ nodes: { a: step } }), { a: until('sleep#1', [sleeps]) }).start();
    expect(slept.status).toBe('suspended');
    expect(slept.advance(10 * MINUTE).status).toBe('completed');

    const signal: OpReport = { type: 'signal', op: 'signal#1', digest: 'd', name: 'ok' };
    const signalled = new Scenario(graph({ nodes: { a: step } }), { a: until('signal#1', [signal]) }).start();
    expect(signalled.act({ type: 'signal', name: 'ok', value: 7 }).run.output).toBe(7);

    const of = { paid: { signal: 'ok' }, form: { ask: override }, late: { for: '1h' } };
    const race: OpReport = { type: 'first', op: 'first#1', digest: 'd', of };
    const raced = new Scenario(graph({ nodes: { a: step } }), { a: until('first#1', [race]) }).start();
    const asked = raced.asked('a')!;
    raced.answer(asked, { values: { override: false } });
    expect(raced.run.output).toMatchObject({ winner: 'form', value: { values: { override: false } } });
    expect(raced.run.timers.size).toBe(0);
  });

  it('is not suspended for what has come meanwhile', () => {
    const signal: OpReport = { type: 'signal', op: 'signal#1', digest: 'd', name: 'ok' };
    const s = new Scenario(graph({ nodes: { a: step } }), { a: until('signal#1', [signal]) });
    s.send({ type: 'start', runId: 'r', tenant: 't', input: {}, requestId: 'q', claim: { owner: 'w', build: 'b' } });
    s.send({ type: 'signal', name: 'ok', value: 3 });
    s.drive();
    expect(s.of('run.suspended')).toEqual([]);
    expect(s.run.output).toBe(3);
  });

  it('asks nothing twice and records nothing twice, however often it is reported', () => {
    const ask: OpReport = { type: 'ask', op: 'ask#1', digest: 'd', request: override };
    const record: OpReport = { type: 'record', op: 'fetch#1', kind: 'run', digest: 'f', value: 1 };
    const s = new Scenario(graph({ nodes: { a: step } }), { a: () => 'busy' }).start();
    const ref = { token: '', node: 'a', visit: 1 };
    for (let round = 0; round < 2; round += 1)
      s.report(ref, { ops: [record, ask], end: { type: 'suspended', ops: ['ask#1'] } });
    expect(s.of('request.opened')).toHaveLength(1);
    expect(s.of('op.recorded')).toHaveLength(1);
    expect(s.status).toBe('suspended');
  });

  it('C01: work done ahead of a wait is in the journal when the answer comes, and is not done again', () => {
    let notices = 0;
    const form1: RequestDefinition = {
      kind: 'form',
      title: 'Amount?',
      fields: [{ name: 'amount_ok', type: 'boolean', label: 'OK', required: true }],
    };
    const form2: RequestDefinition = {
      kind: 'form',
      title: 'Reason?',
      fields: [{ name: 'reason', type: 'text', label: 'Reason', required: true }],
    };
    const handler: Script[string] = ({ task }) => {
      const { journal } = task.execution!;
      const ops: OpReport[] = [];
      if (!journal.has('post_notice#1')) {
        notices += 1;
        ops.push({ type: 'record', op: 'post_notice#1', kind: 'tool', digest: 'n', value: 'sent' });
      }
      const values = (op: string) => (journal.get(op)?.value as { values?: Record<string, never> } | undefined)?.values;
      const [one, two] = [values('form1#1'), values('form2#1')];
      if (one === undefined)
        return {
          ops: [...ops, { type: 'ask', op: 'form1#1', digest: '1', request: form1 }],
          end: { type: 'suspended', ops: ['form1#1'] },
        };
      if (two === undefined)
        return {
          ops: [...ops, { type: 'ask', op: 'form2#1', digest: '2', request: form2 }],
          end: { type: 'suspended', ops: ['form2#1'] },
        };
      return {
        ops,
        end: { type: 'success', output: null, updates: [{ amount_ok: one.amount_ok!, reason: two.reason! }] },
      };
    };
    const definition = graph({
      state: { amount_ok: { schema: { type: 'boolean' } }, reason: { schema: { type: 'string' } } },
      nodes: { a: step },
    });
    const s = new Scenario(definition, { a: handler }).start();
    s.answer(undefined, { values: { amount_ok: true } });
    s.act({ type: 'claim', owner: 'another', build: 'b1' });
    s.answer(undefined, { values: { reason: '重複扣款' } });
    expect(notices).toBe(1);
    expect(s.state()).toEqual({ amount_ok: true, reason: '重複扣款' });
    const log = s.events.map(({ type }) => type).filter(type => type === 'op.recorded' || type === 'request.answered');
    expect(log).toEqual(['op.recorded', 'request.answered', 'request.answered']);
  });

  it('is told of a wait that makes no sense, and may catch it', () => {
    const sleeps: OpReport = { type: 'sleep', op: 'sleep#1', digest: 'd', until: { for: 'soon' } };
    const s = new Scenario(graph({ nodes: { a: step } }), {
      a: ({ task }) => {
        const record = task.execution!.journal.get('sleep#1');
        return record === undefined
          ? { ops: [sleeps], end: { type: 'suspended', ops: ['sleep#1'] } }
          : done(record.error?.code ?? '');
      },
    }).start();
    expect(s.run.output).toBe('InvalidWait');
  });
});
