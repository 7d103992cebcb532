import { describe, expect, it } from 'vitest';
import type { Amounts, BudgetDefinition } from '../budget/amounts.ts';
import { NOTHING_USED } from '../budget/usage.ts';
import type { GraphDefinition, OnReached } from '../graph/definition.ts';
import type { Bound } from './bound.ts';
import { budgetLeft, heldOn } from './bounds.ts';
import type { OpReport } from './command.ts';
import { NOTHING_SPENT } from './spending.ts';
import { broken, done, graph, type Played, Scenario, type Script } from './testing/scenario.ts';

function intend(op: string, reserve: Amounts): OpReport {
  return { type: 'intend', op, kind: 'model', digest: 'd', class: 'repeat', reserve };
}

function record(op: string, usage?: Amounts): OpReport {
  return { type: 'record', op, kind: 'model', digest: 'd', value: op, ...(usage === undefined ? {} : { usage }) };
}

/** Calls the model once a visit, for as many tokens as its input says, and ends with what the call gave. */
const calls: Script[string] = ({ task, input }): Played => {
  const known = task.execution!.journal.get('model#1');
  const tokens = Number(input);
  if (known?.error !== undefined) return { end: { type: 'failed', error: known.error } };
  if (known?.status === 'recorded') return done(known.value ?? null);
  if (known?.status === 'held') return { end: { type: 'suspended', ops: ['model#1'] } };
  if (known?.status === 'intended') return { ops: [record('model#1', { tokens, modelCalls: 1 })] };
  return { ops: [intend('model#1', { tokens, modelCalls: 1 })] };
};

function chain(tokens: readonly number[], budget: BudgetDefinition, onReached?: OnReached): GraphDefinition {
  const names = tokens.map((_, index) => `n${index + 1}`);
  return graph({
    nodes: Object.fromEntries(
      names.map((name, index) => [
        name,
        { type: 'step', handler: 'call', timeout: '5m', input: { tokens: String(tokens[index]) } } as const,
      ]),
    ),
    routes: Object.fromEntries(names.slice(0, -1).map((name, index) => [name, [{ to: [names[index + 1]!] }]])),
    limits: { budget, ...(onReached === undefined ? {} : { onReached }) },
  });
}

function scripted(tokens: readonly number[]): Script {
  const one: Script[string] = call => calls({ ...call, input: (call.input as { tokens: number }).tokens });
  return Object.fromEntries(tokens.map((_, index) => [`n${index + 1}`, one]));
}

function play(tokens: readonly number[], budget: BudgetDefinition, onReached?: OnReached): Scenario {
  return new Scenario(chain(tokens, budget, onReached), scripted(tokens)).start();
}

function used(scenario: Scenario, account = 'run') {
  return heldOn(scenario.run.spending ?? NOTHING_SPENT, account);
}

describe('a budget of a graph', () => {
  it('lets operations through that together come to exactly what it allows', () => {
    const s = play([400, 600], { tokens: 1000 });
    expect(s.status).toBe('completed');
    expect(used(s)).toMatchObject({ tokens: 1000, modelCalls: 2 });
  });

  it('fails the operation that would pass it, before it is begun, and says what was used and wanted', () => {
    const s = play([800, 150, 100, 50], { tokens: 1000 });
    expect(s.status).toBe('failed');
    expect(s.run.error).toMatchObject({
      code: 'BudgetExceeded',
      details: { account: 'run', limit: 'tokens', allowed: 1000, used: 950, wanted: 100 },
    });
    expect(s.started()).toEqual(['n1', 'n2', 'n3']);
    expect(used(s).tokens).toBe(950);
    expect(s.of('op.intended')).toHaveLength(2);
  });

  it('counts what was spent, also where that was more than was reserved', () => {
    const tokens = [300, 300];
    const more: Script[string] = ({ task }) =>
      task.execution!.journal.has('model#1')
        ? { ops: [record('model#1', { tokens: 900 })], end: done(null).end! }
        : { ops: [intend('model#1', { tokens: 300 })] };
    const s = new Scenario(chain(tokens, { tokens: 1000 }), { ...scripted(tokens), n1: more }).start();
    expect(s.run.error).toMatchObject({ code: 'BudgetExceeded', details: { used: 900, wanted: 300 } });
  });

  it('takes nothing of what it does not bound into account', () => {
    expect(play([5000, 5000], { modelCalls: 2 }).status).toBe('completed');
    expect(play([5, 5, 5], { modelCalls: 2 }).run.error).toMatchObject({ details: { limit: 'modelCalls' } });
  });

  it('reckons money exactly, and does not take another currency for its own', () => {
    const spend = (reserve: Amounts): Scenario => {
      const script: Script[string] = ({ task }) => {
        const known = task.execution!.journal.get('model#1');
        if (known?.error !== undefined) return { end: { type: 'failed', error: known.error } };
        return known === undefined
          ? { ops: [intend('model#1', reserve)] }
          : { ops: [record('model#1', reserve)], end: done(null).end! };
      };
      const definition = chain([1, 1, 1], { money: { amount: '0.3', currency: 'USD' } });
      return new Scenario(definition, { n1: script, n2: script, n3: script }).start();
    };
    expect(spend({ money: { amount: '0.1', currency: 'USD' } }).status).toBe('completed');
    expect(spend({ money: { amount: '0.10000001', currency: 'USD' } }).run.error?.code).toBe('BudgetExceeded');
    expect(spend({ money: { amount: '0.1', currency: 'EUR' } }).run.error?.code).toBe('BudgetExceeded');
  });

  it('is not passed by branches side by side: what one has reserved the other cannot have', () => {
    const definition = graph({
      nodes: {
        start: { type: 'step', handler: 's' },
        a: { type: 'step', handler: 'a' },
        b: { type: 'step', handler: 'b' },
        join: { type: 'join', join: 'all' },
      },
      routes: { start: [{ to: ['a', 'b'] }], a: [{ to: ['join'] }], b: [{ to: ['join'] }] },
      limits: { budget: { tokens: 1000 } },
    });
    const s = new Scenario(definition, { a: () => 'busy', b: () => 'busy' }).start();
    const a = { token: 'start#1.0', node: 'a', visit: 1 };
    const b = { token: 'start#1.1', node: 'b', visit: 1 };
    s.report(a, { ops: [intend('model#1', { tokens: 600 })] });
    s.report(b, { ops: [intend('model#1', { tokens: 600 })] });
    expect(s.of('op.intended')).toHaveLength(1);
    expect(s.of('budget.exceeded')).toMatchObject([{ node: 'b', used: 600, wanted: 600 }]);
    s.report(a, { ops: [record('model#1', { tokens: 100 })] });
    expect(used(s).tokens).toBe(100);
  });
});

describe('what is left of a budget', () => {
  const node = { type: 'step', handler: 'call', limits: { budget: { modelCalls: 3 }, onReached: 'ask' } } as const;
  const definition = graph({
    nodes: { n1: node },
    routes: {},
    limits: { budget: { tokens: 1000, money: { amount: '0.3', currency: 'USD' }, time: '1m' } },
  });
  const ref = { token: '', node: 'n1', visit: 1 };
  const leftOf = (s: Scenario, ...more: Bound[]) => budgetLeft(s.program, s.run, ref, more);

  it('counts what is reserved, by every bound of graph and node, and says who is asked', () => {
    const s = new Scenario(definition, { n1: () => 'busy' }).start();
    const money = { amount: '0.1', currency: 'USD' };
    s.report(ref, { ops: [intend('model#1', { tokens: 600, modelCalls: 1, money })] });
    expect(leftOf(s)).toEqual([
      { account: 'node:/n1', left: { modelCalls: 2 }, asks: true },
      { account: 'run', left: { tokens: 400, money: { amount: '0.2', currency: 'USD' }, time: 60_000 } },
    ]);
    s.report(ref, { ops: [record('model#1', { tokens: 5000, modelCalls: 1, money: { ...money, amount: '0.4' } })] });
    expect(leftOf(s)[1]!.left).toMatchObject({ tokens: 0, money: { amount: '0' } });
  });

  it('of an account that runs share is what all have left, and what this one has reserved since', () => {
    const s = new Scenario(definition, { n1: () => 'busy' }).start();
    const bound = { account: 'tenant:t', allowed: { tokens: 100 }, times: 2, used: { ...NOTHING_USED, tokens: 50 } };
    const asOf = s.run.seq;
    s.report(ref, { ops: [{ ...intend('model#1', { tokens: 30 }), bounds: [bound] } as OpReport] });
    expect(leftOf(s, { ...bound, asOf })[2]).toEqual({ account: 'tenant:t', left: { tokens: 120 } });
    expect(leftOf(s, { ...bound, asOf: s.run.seq })[2]).toEqual({ account: 'tenant:t', left: { tokens: 150 } });
  });

  it('is asked for before an approval, without taking any of it', () => {
    const s = new Scenario(definition, { n1: () => 'busy' }).start();
    const afford = (op: string, modelCalls: number): OpReport => ({
      type: 'afford',
      op,
      digest: 'd',
      wanted: { modelCalls },
    });
    s.report(ref, { ops: [afford('afford:pay#1', 3), afford('afford:pay#2', 4)] });
    expect(s.of('op.recorded')).toMatchObject([{ op: 'afford:pay#1', kind: 'decide', value: true }]);
    expect(s.of('budget.exceeded')).toMatchObject([{ op: 'afford:pay#2', wanted: 4, asks: true }]);
    expect(used(s, 'node:/n1').modelCalls).toBe(0);
    expect(s.run.spending?.reserved.size ?? 0).toBe(0);
  });
});

describe('a reservation', () => {
  function inFlight(): Scenario {
    const tokens = [600, 300];
    return new Scenario(chain(tokens, { tokens: 1000 }), {
      ...scripted(tokens),
      n1: ({ task }) =>
        task.execution!.journal.has('model#1') ? 'busy' : { ops: [intend('model#1', { tokens: 600 })] },
    }).start();
  }

  it('counts as spent when its driver dies, and the operation is begun anew with one of its own', () => {
    const s = inFlight();
    s.send({ type: 'claim', owner: 'other', build: 'b1' });
    expect(s.of('budget.spent')).toMatchObject([{ op: 'model#1', amounts: { tokens: 600 }, possibly: true }]);
    expect(s.of('op.retried')).toHaveLength(1);
    s.turn('n1');
    expect(s.run.spending?.reserved.size).toBe(0);
    expect(s.of('budget.exceeded')).toMatchObject([{ used: 600, wanted: 600 }]);
  });

  it('counts as spent when nobody can tell what the operation came to', () => {
    const s = inFlight();
    s.report({ token: '', node: 'n1', visit: 1 }, { ops: [record('model#1')] });
    expect(used(s).tokens).toBe(600);
    expect(s.of('budget.spent')).toMatchObject([{ possibly: true }]);
  });

  it('counts as spent when the node is over before its operation is recorded', () => {
    const s = inFlight();
    s.report({ token: '', node: 'n1', visit: 1 }, done('early'));
    expect(s.run.spending?.reserved.size).toBe(0);
    expect(used(s).tokens).toBe(600);
  });

  it('counts as spent when its attempt is over before it, and the next attempt makes one of its own', () => {
    const tokens = [600];
    const definition = chain(tokens, { tokens: 1500 });
    const n1 = { ...definition.nodes.n1!, retry: { attempts: 2, backoff: '1s' } };
    const s = new Scenario({ ...definition, nodes: { n1 } as never }, { n1: () => 'busy' }).start();
    const ref = { token: '', node: 'n1', visit: 1 };
    s.report(ref, { ops: [intend('model#1', { tokens: 600 })] });
    s.report(ref, broken('Timeout'));
    expect(s.of('budget.spent')).toMatchObject([{ op: 'model#1', amounts: { tokens: 600 }, possibly: true }]);
    expect(s.of('op.retried')).toMatchObject([{ op: 'model#1' }]);
    s.advance(2_000);
    s.report(ref, { ops: [intend('model#1', { tokens: 600 })] });
    expect(used(s).tokens).toBe(1200);
    s.report(ref, { ops: [record('model#1', { tokens: 500 })] });
    expect(used(s).tokens).toBe(1100);
  });

  it('says for how long the operation was under way', () => {
    const s = inFlight();
    s.advance(1_500);
    s.report({ token: '', node: 'n1', visit: 1 }, { ops: [record('model#1', { tokens: 5 })] });
    expect(s.of('budget.spent')).toMatchObject([{ amounts: { tokens: 5, time: 1_500 } }]);
  });

  it('is not at work while nobody is: neither behind a crash, nor until a fork is made', () => {
    const s = inFlight();
    s.at += 2_000;
    s.send({ type: 'note', text: 'still there' });
    const child = s.forkAt(s.run.seq);
    s.at += 3_600_000;
    s.send({ type: 'claim', owner: 'other', build: 'b1' });
    expect(s.of('budget.spent')).toMatchObject([{ amounts: { tokens: 600, time: 2_000 } }]);
    child.at += 86_400_000;
    child.act({ type: 'fork', parent: 'run_1', atSeq: s.run.seq, effects: 'ask', reason: 'again' });
    expect(child.of('budget.spent')).toMatchObject([{ amounts: { tokens: 600, time: 2_000 }, possibly: true }]);
  });

  it('of an operation in doubt counts as spent at once: for how long a person thinks is nothing that it took', () => {
    const s = new Scenario(chain([1], {}), { n1: () => 'busy' }).start();
    const ref = { token: '', node: 'n1', visit: 1 };
    const pay = { type: 'intend', op: 'pay#1', kind: 'tool', digest: 'd', class: 'once' } as const;
    s.report(ref, { ops: [{ ...pay, reserve: { toolCalls: 1 } }] });
    s.advance(30_000);
    s.report(ref, { ops: [{ type: 'doubt', op: 'pay#1' }], end: { type: 'suspended', ops: ['pay#1'] } });
    s.advance(86_400_000);
    s.answer('n1', { values: { outcome: 'done' } });
    expect(s.of('budget.spent')).toMatchObject([{ amounts: { toolCalls: 1, time: 30_000 }, possibly: true }]);
    expect(used(s)).toMatchObject({ toolCalls: 1, time: 30_000 });
  });

  it.each(['recorded', 'ask'] as const)(
    'is not made by what was done later elsewhere and is not begun (%s)',
    effects => {
      const s = new Scenario(chain([1], { toolCalls: 1 }), { n1: () => 'busy' }).start();
      const ref = { token: '', node: 'n1', visit: 1 };
      const pay = { type: 'intend', op: 'pay#1', kind: 'tool', digest: 'd', class: 'once' } as const;
      const child = s.forkAt(s.run.seq);
      const later = [{ key: '/n1/pay#1', digest: 'd', value: 'paid' }];
      child.act({ type: 'fork', parent: 'run_1', atSeq: s.run.seq, effects, later, reason: 'again' });
      child.report({ ...ref, visit: 2 }, { ops: [{ ...pay, reserve: { toolCalls: 1 } }] });
      expect(used(child).toolCalls).toBe(0);
      if (effects === 'ask') child.answer('n1', { values: { outcome: 'recorded' } });
      expect(used(child).toolCalls).toBe(0);
      expect(child.of('budget.spent')).toEqual([]);
    },
  );

  it('stays spent behind a rollback, and a fork begins with what was spent up to its point', () => {
    const s = play([400, 400, 400], { tokens: 1000 });
    const before = s.seqOf('node.started', ({ node }) => node === 'n2');
    const child = s.forkAt(before);
    expect(used(child).tokens).toBe(400);
    expect(used(s).tokens).toBe(800);
  });
});

describe('a budget that asks', () => {
  it('puts a question, and an approval grants the same allowance once more', () => {
    const s = play([800, 800, 800], { tokens: 1000 }, 'ask');
    expect(s.status).toBe('suspended');
    expect(s.of('request.opened')).toMatchObject([
      { about: 'limit', kind: 'confirmation', definition: { context: { account: 'run', used: 800, wanted: 800 } } },
    ]);
    s.answer('n2', { action: 'approve' });
    expect(s.run.spending?.granted.get('run')).toBe(1);
    expect(used(s).tokens).toBe(1600);
    expect(s.open).toEqual(['n3']);
    s.answer('n3', { action: 'reject' });
    expect(s.run.error).toMatchObject({ code: 'BudgetExceeded', details: { allowed: 2000, used: 1600 } });
  });

  it('does not ask where the run may not', () => {
    const tokens = [800, 800];
    const s = new Scenario(chain(tokens, { tokens: 1000 }, 'ask'), scripted(tokens)).start({}, { decisions: 'off' });
    expect(s.run.error?.code).toBe('BudgetExceeded');
  });
});

describe('a call of a tool that a budget keeps from beginning', () => {
  const call = {
    type: 'intend',
    op: 'pay#1',
    kind: 'tool',
    digest: 'd',
    class: 'once',
    reserve: { toolCalls: 2 },
  } as const;

  it.each(['fail', 'ask'] as const)('is no failure of the tool, but one that was refused (%s)', onReached => {
    const s = new Scenario(chain([1], { toolCalls: 1 }, onReached), { n1: () => 'busy' }).start();
    s.report({ token: '', node: 'n1', visit: 1 }, { ops: [call] });
    if (onReached === 'ask') s.answer('n1', { action: 'reject' });
    expect(s.run.tools?.get('pay')).toMatchObject({ calls: 0, failed: 0, failedInARow: 0, refused: 1 });
  });
});

describe('a budget of time', () => {
  const timed =
    (task: 'model' | 'tool'): Script[string] =>
    call => {
      const known = call.task.execution!.journal.get(`${task}#1`);
      if (known?.error !== undefined) return { end: { type: 'failed', error: known.error } };
      if (known !== undefined) return done(null);
      return { ops: [{ ...intend(`${task}#1`, task === 'model' ? { modelCalls: 1 } : { toolCalls: 1 }) } as OpReport] };
    };

  it.each(['model', 'tool'] as const)(
    'lets no %s call begin once it is used up, though none says how long it takes',
    task => {
      const s = new Scenario(chain([1, 1], { time: '1m' }), { n1: () => 'busy', n2: timed(task) }).start();
      const ref = { token: '', node: 'n1', visit: 1 };
      s.report(ref, { ops: [intend('model#1', { modelCalls: 1 })] });
      s.advance(60_000);
      s.report(ref, { ops: [record('model#1', { modelCalls: 1 })] });
      s.finish('n1', done(null));
      expect(s.run.error).toMatchObject({
        code: 'BudgetExceeded',
        details: { limit: 'time', allowed: 60_000, used: 60_000, wanted: 0 },
      });
    },
  );
});

describe('a budget of a node', () => {
  it('bounds what its visits spend together, and leaves other nodes alone', () => {
    const definition = graph({
      nodes: {
        a: { type: 'step', handler: 'a', limits: { budget: { modelCalls: 2 } } },
        b: { type: 'step', handler: 'b' },
      },
      routes: { a: [{ to: ['b'] }], b: [{ to: ['a'], when: 'run.visits.a < 3' }, { to: ['end'] }] },
    });
    const script: Script[string] = call => calls({ ...call, input: 10 });
    const s = new Scenario(definition, { a: script, b: script }).start();
    expect(s.run.error).toMatchObject({ code: 'BudgetExceeded', details: { account: 'node:/a', limit: 'modelCalls' } });
    expect(s.started()).toEqual(['a', 'b', 'a', 'b', 'a']);
  });
});

describe('an account that is shared with other runs', () => {
  it('is bounded by what all have used of it', () => {
    const s = new Scenario(chain([1], {}), { n1: () => 'busy' }).start();
    const bounds = [
      {
        account: 'session:ses_1',
        allowed: { tokens: 100 },
        used: { tokens: 90, modelCalls: 0, toolCalls: 0, time: 0, money: {} },
      },
    ];
    const ref = { token: '', node: 'n1', visit: 1 };
    s.report(ref, { ops: [{ ...intend('a#1', { tokens: 10 }), bounds } as OpReport] });
    expect(s.of('op.intended')).toMatchObject([{ reserve: { accounts: ['run', 'node:/n1', 'session:ses_1'] } }]);
    s.report(ref, { ops: [{ ...intend('b#1', { tokens: 11 }), bounds } as OpReport] });
    expect(s.of('budget.exceeded')).toMatchObject([{ account: 'session:ses_1', used: 90, wanted: 11 }]);
  });
});
