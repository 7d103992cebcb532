import { describe, expect, it } from 'vitest';
import type { OpReport } from './command.ts';
import { decide } from './decide/decide.ts';
import { KEPT_IN_ALL, KEPT_OF_NAME } from './decide/kept-signals.ts';
import { done, graph, type Played, Scenario, USER } from './testing/scenario.ts';

const SUM = { type: 'object', required: ['sum'], properties: { sum: { type: 'number' } }, additionalProperties: false };

/** A handler that asks for `op` until it is recorded, and gives out what came. */
function waiting(op: OpReport): Scenario {
  return new Scenario(graph({ nodes: { a: { type: 'step', handler: 'a', timeout: '5s' } } }), {
    a: ({ task }): Played => {
      const record = task.execution!.journal.get(op.op);
      if (record?.status === 'recorded') return done(record.value ?? null);
      return { ops: [op], end: { type: 'suspended', ops: [op.op] } };
    },
  });
}

const paid: OpReport = { type: 'signal', op: 'paid#1', digest: '', name: 'paid', schema: SUM };
const signal = (value: unknown, name = 'paid') => ({ type: 'signal', name, value }) as const as never;

describe('a signal that is waited for with a schema', () => {
  it('is refused to its sender with pointers when it does not fit; nothing is recorded and the wait is open', () => {
    const s = waiting(paid).start();
    const { refusal, events } = s.send(signal({ sum: 'much', extra: 1 }));
    expect(refusal).toMatchObject({
      code: 'InvalidSignal',
      details: { name: 'paid', issues: [{ pointer: '/extra' }, { pointer: '/sum' }] },
    });
    expect(events).toEqual([]);
    s.act(signal({ sum: 5 }));
    expect(s.run.output).toEqual({ sum: 5 });
  });

  it('came before its wait: it is kept for a wait that it fits, and the first that fits is taken', () => {
    const s = waiting(paid);
    s.send({
      type: 'start',
      runId: 'run_1',
      tenant: 't',
      input: {},
      requestId: 'r',
      claim: { owner: 'w', build: 'b' },
    });
    s.act(signal('garbage')).act(signal({ sum: 7 }));
    expect(s.run.output).toEqual({ sum: 7 });
    expect([...s.run.signals]).toEqual([['paid', ['garbage']]]);
  });

  it('is taken by the member of a first-of that it fits, whatever their order', () => {
    const of = { word: { signal: 'paid', schema: { type: 'string' } }, sum: { signal: 'paid', schema: SUM } };
    for (const [value, winner] of [
      ['ok', 'word'],
      [{ sum: 1 }, 'sum'],
    ] as const) {
      const s = waiting({ type: 'first', op: 'first#1', digest: '', of }).start().act(signal(value));
      expect(s.run.output).toEqual({ winner, value });
    }
    expect(waiting({ type: 'first', op: 'first#1', digest: '', of }).start().send(signal(5)).refusal?.code).toBe(
      'InvalidSignal',
    );
  });

  it('whose schema is none fails the operation', () => {
    const s = waiting({ ...paid, schema: { type: 'sum' } }).start();
    expect(s.of('op.recorded')).toMatchObject([{ op: 'paid#1', error: { code: 'InvalidWait' } }]);
  });
});

describe('signals that nobody waits for', () => {
  it('are kept up to a number of one name; the next is refused and nothing is lost', () => {
    const s = waiting(paid).start();
    for (let n = 0; n < KEPT_OF_NAME; n += 1) s.act(signal(n, 'tick'));
    const { refusal, events } = s.send(signal(0, 'tick'));
    expect(refusal).toMatchObject({ code: 'TooManySignals', details: { name: 'tick', ofName: KEPT_OF_NAME } });
    expect(events).toEqual([]);
    expect(s.run.signals.get('tick')).toHaveLength(KEPT_OF_NAME);
    s.act(signal(0, 'tock')).act(signal({ sum: 1 }));
    expect(s.status).toBe('completed');
  });

  it('are kept up to a number of all names', () => {
    const s = waiting(paid).start();
    const kept = new Map(Array.from({ length: KEPT_IN_ALL }, (_, n) => [`n${n}`, [n]] as const));
    const full = { ...s.run, signals: kept };
    const command = { type: 'signal', name: 'more', value: 1, at: s.at, actor: USER } as const;
    expect(decide(s.program, full, command).refusal).toMatchObject({
      code: 'TooManySignals',
      details: { ofName: 0, all: KEPT_IN_ALL },
    });
  });
});
