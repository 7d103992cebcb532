import { describe, expect, it } from 'vitest';
import type { LaterOperation } from '../event/run-event.ts';
import type { GraphDefinition, NodeDefinition } from '../graph/definition.ts';
import type { JsonValue } from '../json/value.ts';
import { laterKey } from './keys.ts';
import { broken, done, graph, programOf, Scenario, type Script, USER } from './testing/scenario.ts';

const step: NodeDefinition = { type: 'step', handler: 'work', timeout: '5s' };
const form = (required: string[]): NodeDefinition => ({
  type: 'ask',
  request: {
    kind: 'form',
    title: 'OK?',
    fields: required.map(name => ({ name, type: name === 'ok' ? 'boolean' : 'text', label: name, required: true })),
  },
});
const state: GraphDefinition['state'] = {
  log: { schema: { type: 'array', items: { type: 'string' } }, reducer: 'append' },
};
const add = (text: string): NodeDefinition => ({ ...step, update: { log: `['${text}']` } });
const line = graph({
  state,
  nodes: { a: add('a'), b: add('b'), c: add('c') },
  routes: { a: [{ to: ['b'] }], b: [{ to: ['c'] }] },
});
const outputs: Script = { a: () => done({ v: 1 }), b: () => done({ v: 2 }), c: () => done({ v: 3 }) };
const reason = 'what if';

/** A fork of `s` right before its first `node.started` of that node. */
function forkBefore(
  s: Scenario,
  node: string,
  script?: Script,
  effects: 'recorded' | 'ask' | 'live' = 'ask',
  later: LaterOperation[] = [],
) {
  const atSeq = s.seqOf('node.started', data => data.node === node) - 1;
  const child = s.forkAt(atSeq, script);
  child.act({ type: 'fork', parent: s.run.id, atSeq, effects, later, reason });
  return child;
}

describe('C29: a run is pinned to its version', () => {
  const v1 = graph({
    nodes: { A: step, B: form(['ok']), C: step },
    routes: { A: [{ to: ['B'] }], B: [{ to: ['C'] }] },
  });
  const v2 = graph({
    nodes: { A: step, X: step, B: form(['ok', 'why']), C: step },
    routes: { A: [{ to: ['X'] }], X: [{ to: ['B'] }], B: [{ to: ['C'] }] },
  });

  it('C29: a waiting run finishes on the definition it started with; a new one on its own', () => {
    const old = new Scenario(v1).start();
    expect(old.run.version).toBe(programOf(v1).hash);
    old.answer('B', { values: { ok: true } });
    expect(old.started()).toEqual(['A', 'B', 'C']);
    const young = new Scenario(v2).start();
    expect(young.tryAnswer('B', { values: { ok: true } }).refusal?.code).toBe('InvalidAnswer');
    young.answer('B', { values: { ok: true, why: '新規' } });
    expect(young.started()).toEqual(['A', 'X', 'B', 'C']);
  });

  it('C29: moving a run to another version is a separate, recorded act; what it was at has to be there', () => {
    const s = new Scenario(v1).start();
    const renamed = graph({
      ...v2,
      nodes: { A: step, ask: form(['ok', 'why']), C: step },
      routes: { A: [{ to: ['ask'] }], ask: [{ to: ['C'] }] },
    });
    const to = programOf(renamed);
    const refused = s.send({ type: 'migrate', to, mapping: {}, reason });
    expect(refused.refusal?.code).toBe('NodesMissing');
    expect(refused.refusal?.details.missing).toEqual(['B']);
    expect(refused.events).toEqual([]);
    s.act({ type: 'migrate', to, mapping: { B: 'ask' }, label: 'v2', reason });
    s.program = to;
    expect(s.of('run.migrated')).toMatchObject([{ from: programOf(v1).hash, to: to.hash, mapping: { B: 'ask' } }]);
    expect(s.run.version).toBe(to.hash);
    expect(s.tryAnswer('ask', { values: { ok: true } }).refusal?.code).toBe('InvalidAnswer');
    s.answer('ask', { values: { ok: true, why: 'moved' } });
    expect(s.status).toBe('completed');
  });

  it('C29: a run inside a fork is moved with its scopes, and its join is found under its new name', () => {
    const forked = (J: string, a: string) =>
      graph({
        nodes: { start: step, [a]: form(['ok']), b: step, [J]: { ...step, join: 'all' } },
        routes: { start: [{ to: [a, 'b'] }], [a]: [{ to: [J] }], b: [{ to: [J] }] },
        entry: 'start',
      });
    const s = new Scenario(forked('J', 'a')).start();
    const to = programOf(forked('meet', 'question'));
    expect(s.send({ type: 'migrate', to, mapping: {}, reason }).refusal?.details.missing).toEqual(['a']);
    s.act({ type: 'migrate', to, mapping: { a: 'question', J: 'meet' }, reason });
    s.program = to;
    s.answer('question', { values: { ok: true } });
    expect(s.started('meet')).toHaveLength(1);
    expect(s.status).toBe('completed');
  });
});

describe('fork', () => {
  it('C30: re-running from a step reads the recorded past, and never rewrites it', () => {
    const s = new Scenario(line, outputs).start();
    const before = JSON.stringify(s.steps);
    const reads: JsonValue[] = [];
    const child = forkBefore(s, 'c', {
      ...outputs,
      c: ({ input }) => {
        reads.push(input);
        return done({ v: 30 });
      },
    });
    expect(reads).toEqual([{ v: 2 }]);
    expect(child.calls).toEqual(['c#1']);
    expect(child.run).toMatchObject({
      id: 'run_child',
      fork: { parent: 'run_1' },
      status: 'completed',
      output: { v: 30 },
    });
    expect(child.state()).toEqual({ log: ['a', 'b', 'c'] });
    expect(JSON.stringify(s.steps)).toBe(before);
    expect(s.run.output).toEqual({ v: 3 });
  });

  it('C30: onto a version that lacks a node is refused before anything executes, or allowed with a mapping', () => {
    const s = new Scenario(line, outputs).start();
    const v2 = programOf(
      graph({
        state,
        nodes: { a: add('a'), b2: add('b2'), c: add('c') },
        routes: { a: [{ to: ['b2'] }], b2: [{ to: ['c'] }] },
      }),
    );
    const atSeq = s.seqOf('node.started', data => data.node === 'c') - 1;
    const child = s.forkAt(atSeq);
    const fork = { type: 'fork', parent: s.run.id, atSeq, effects: 'ask', reason } as const;
    const refused = child.send({ ...fork, onto: { to: v2, mapping: {} } });
    expect(refused.refusal?.details.missing).toEqual(['b']);
    expect(refused.events).toEqual([]);
    child.send({ ...fork, onto: { to: v2, mapping: { b: 'b2' } } });
    child.program = v2;
    child.drive();
    expect(child.run.version).toBe(v2.hash);
    expect(child.calls).toEqual(['c#1']);
    expect(child.status).toBe('completed');
  });

  it('asks open questions anew, with new ids', () => {
    const definition = graph({ nodes: { a: step, q: form(['ok']) }, routes: { a: [{ to: ['q'] }] } });
    const s = new Scenario(definition).start();
    const id = s.asked('q')!;
    const child = s.forkAt(s.run.seq);
    child.act({ type: 'fork', parent: s.run.id, atSeq: s.run.seq, effects: 'ask', reason });
    expect(child.open).toEqual(['q']);
    expect(child.asked('q')).not.toBe(id);
    s.act({ type: 'retry', node: 'q', reason });
    expect(s.asked('q')).not.toBe(child.asked('q'));
    expect(child.tryAnswer(id, { values: { ok: true } }).refusal?.code).toBe('RequestClosed');
    expect(child.answer('q', { values: { ok: true } }).status).toBe('completed');
  });

  it('undoes nothing that its parent did', () => {
    const undoable = {
      ...line,
      nodes: { ...line.nodes, a: { ...step, compensate: { handler: 'undo' } } as NodeDefinition },
    };
    const s = new Scenario(undoable, outputs).start();
    const child = forkBefore(s, 'c', { ...outputs, c: () => broken('E') });
    expect(child.status).toBe('failed');
    expect(child.of('compensation.started')).toEqual([]);
  });

  const pay = { op: 'pay#1', kind: 'run' as const, digest: 'd' };
  const paying: Script[string] = ({ task }) => {
    const known = task.execution!.journal.get('pay#1');
    if (known?.status === 'recorded') return done(known.value ?? null);
    if (known?.status === 'intended') return { ops: [{ type: 'record', ...pay, value: 'paid anew' }] };
    return { ops: [{ type: 'intend', ...pay, class: 'once', onDoubt: 'retry' }] };
  };
  const later: LaterOperation[] = [
    { key: laterKey({ token: '', node: 'c', visit: 1 }, 'pay#1'), digest: 'd', value: 'paid by the parent' },
  ];

  it('does not do again by itself what the parent did once later: it asks, takes the record, or does it where told so', () => {
    const s = new Scenario(line, outputs).start();
    const asked = forkBefore(s, 'c', { ...outputs, c: paying }, 'ask', later);
    expect([...asked.run.requests.values()]).toMatchObject([{ about: 'doubt', op: 'pay#1' }]);
    asked.answer(undefined, { values: { outcome: 'repeat' } });
    const recorded = forkBefore(s, 'c', { ...outputs, c: paying }, 'recorded', later);
    expect(recorded.run.output).toBe('paid by the parent');
    expect(recorded.of('op.recorded').at(-1)).toMatchObject({ again: true });
    const live = forkBefore(s, 'c', { ...outputs, c: paying }, 'live', later);
    expect(live.run.output).toBe('paid anew');
    const others = forkBefore(s, 'c', { ...outputs, c: paying }, 'ask', [{ ...later[0]!, digest: 'other arguments' }]);
    expect(others.run.output).toBe('paid anew');
  });

  it('tells in its question what the operation gave, and takes that where a human says so', () => {
    const s = new Scenario(line, outputs).start();
    const asked = forkBefore(s, 'c', { ...outputs, c: paying }, 'ask', later);
    const [request] = [...asked.run.requests.values()];
    expect(request?.title).toBe('"pay" was done already: do it again? (node c)');
    expect(request?.definition?.context).toEqual({ operation: 'c#1/pay#1', gave: '"paid by the parent"' });
    asked.answer(undefined, { values: { outcome: 'recorded' } });
    expect(asked.run.output).toBe('paid by the parent');
    const failed = { ...later[0]!, value: undefined, error: { code: 'Declined', message: 'no money' } };
    const again = forkBefore(s, 'c', { ...outputs, c: paying }, 'ask', [failed]);
    again.answer(undefined, { values: { outcome: 'recorded' } });
    expect(again.of('op.recorded').at(-1)).toMatchObject({ error: { code: 'Declined' }, again: true });
  });

  it('counts each of them once, in order: what nobody did is done', () => {
    const s = new Scenario(line, outputs).start();
    const twice = graph({
      ...line,
      routes: { ...line.routes, c: [{ to: ['c'], when: 'nodes.c.output != "paid anew"' }, { to: ['end'] }] },
    });
    const loop = new Scenario(twice, { ...outputs, c: () => done('paid anew') }).start();
    const two = [
      { ...later[0]!, value: 'first' },
      { ...later[0]!, value: 'second' },
    ];
    const child = forkBefore(loop, 'c', { ...outputs, c: paying }, 'recorded', two);
    const given = child.of('node.succeeded').filter(({ node }) => node === 'c');
    expect(given.map(({ output }) => output)).toEqual(['first', 'second', 'paid anew']);
    expect(child.run.later?.ops).toEqual([]);
    const asked = forkBefore(s, 'c', { ...outputs, c: paying }, 'ask', later);
    asked.answer(undefined, { values: { outcome: 'repeat' } });
    expect(asked.run.output).toBe('paid anew');
  });

  it('asks about what was begun later and never recorded, whatever is to be taken as recorded', () => {
    const s = new Scenario(line, outputs).start();
    const begun: LaterOperation[] = [{ key: later[0]!.key, digest: 'd', unknown: true }];
    for (const effects of ['ask', 'recorded'] as const) {
      const child = forkBefore(s, 'c', { ...outputs, c: paying }, effects, begun);
      expect([...child.run.requests.values()]).toMatchObject([{ about: 'doubt', op: 'pay#1' }]);
    }
    expect(forkBefore(s, 'c', { ...outputs, c: paying }, 'live', begun).run.output).toBe('paid anew');
  });

  it('knows what became of an operation that was under way at the point', () => {
    const s = new Scenario(line, { ...outputs, c: () => 'busy' }).start();
    s.report({ token: '', node: 'c', visit: 1 }, { ops: [{ type: 'intend', ...pay, class: 'once' }] });
    const atSeq = s.run.seq;
    const forked = (effects: 'recorded' | 'live', more: Partial<LaterOperation>) => {
      const child = s.forkAt(atSeq, { ...outputs, c: () => 'busy' });
      child.act({
        type: 'fork',
        parent: s.run.id,
        atSeq,
        effects,
        later: [{ ...later[0]!, begun: true, ...more }],
        reason,
      });
      child.act({ type: 'claim', owner: 'w', build: 'b' });
      child.act({ type: 'doubt', term: child.run.term, token: '', node: 'c', visit: 2, op: 'pay#1' });
      return child;
    };
    expect(forked('recorded', {}).of('op.recorded').at(-1)).toMatchObject({ value: 'paid by the parent', again: true });
    expect(forked('recorded', { value: undefined, unknown: true }).open).toEqual(['c']);
    expect(forked('live', {}).of('op.retried')).toHaveLength(1);
  });

  it('names an operation by its path, whatever the visits on it', () => {
    const ref = { token: 'start#2.1/each#1.0', node: 'c', visit: 4 };
    expect(laterKey(ref, 'pay#1')).toBe(laterKey({ ...ref, token: 'start#3.1/each#1.0', visit: 1 }, 'pay#1'));
    expect(laterKey(ref, 'pay#1')).not.toBe(laterKey({ ...ref, token: 'start#2.0/each#1.0' }, 'pay#1'));
  });
});

describe('a move to another version', () => {
  const own = graph({
    state: { n: { schema: { type: 'integer', default: 1 } } },
    nodes: { A: form(['ok']), B: step },
    routes: { A: [{ to: ['B'] }] },
  });
  const refusalOf = (other: Partial<GraphDefinition>) => {
    const s = new Scenario(own).start();
    const { refusal, events } = s.send({ type: 'migrate', to: programOf({ ...own, ...other }), mapping: {}, reason });
    expect(events.length > 0).toBe(refusal === undefined);
    const fork = s.forkAt(s.run.seq);
    const onto = { to: programOf({ ...own, ...other }), mapping: {} };
    const forked = fork.send({ type: 'fork', parent: s.run.id, atSeq: s.run.seq, effects: 'ask', onto, reason });
    expect(forked.refusal?.code).toBe(refusal?.code);
    return refusal?.code;
  };

  it('is refused where that is of another graph, takes the state not as it is, or has another node in place', () => {
    expect(refusalOf({ name: 'other' })).toBe('OtherGraph');
    expect(refusalOf({ state: {} })).toBe('InvalidState');
    expect(refusalOf({ state: { n: { schema: { type: 'string', default: '' } } } })).toBe('InvalidState');
    expect(refusalOf({ nodes: { ...own.nodes, A: step } })).toBe('NodeTypeDiffers');
    expect(refusalOf({ nodes: { ...own.nodes, B: { type: 'transform', output: { x: '1' } } } })).toBeUndefined();
  });
});

describe('a move to a version with more state', () => {
  const keyed = (state: GraphDefinition['state'], more: Partial<GraphDefinition> = {}) =>
    graph({
      state: { n: { schema: { type: 'integer', default: 1 } }, ...state },
      nodes: { A: form(['ok']), B: { ...step, input: { seen: 'state.n' } } },
      routes: { A: [{ to: ['B'] }] },
      ...more,
    });
  const added: GraphDefinition['state'] = {
    mood: { schema: { type: 'string', default: 'calm' } },
    log: { schema: { type: 'array', items: { type: 'string' } }, reducer: 'append' },
    maybe: { schema: { type: 'string' } },
  };
  const move = (s: Scenario, definition: GraphDefinition) => {
    const to = programOf(definition);
    s.act({ type: 'migrate', to, mapping: {}, reason });
    s.program = to;
    return s;
  };

  it('has each key that begins with a value from then on, as a recorded change; one without stays absent', () => {
    const s = move(new Scenario(keyed({})).start(), keyed(added));
    expect(s.state()).toEqual({ n: 1, mood: 'calm', log: [] });
    expect(s.of('state.changed')).toMatchObject([
      {
        token: '',
        base: true,
        changes: [{ key: 'mood', value: 'calm', source: `migrate:${USER.id}` }, { key: 'log' }],
      },
    ]);
    move(s, keyed(added));
    expect(s.of('state.changed')).toHaveLength(1);
  });

  it('has it in branches and items as well, and nothing of it is merged as if two had written it', () => {
    const forked = (state: GraphDefinition['state']) =>
      keyed(state, {
        nodes: {
          start: step,
          A: form(['ok']),
          each: { type: 'map', items: '[1, 2]', body: { node: form(['ok']) }, concurrency: 1 },
          J: { ...step, join: 'all' },
        },
        routes: { start: [{ to: ['A', 'each'] }], A: [{ to: ['J'] }], each: [{ to: ['J'] }] },
      });
    const s = move(new Scenario(forked({})).start(), forked(added));
    for (const { id, state } of s.run.tokens.values())
      expect([id, Object.keys(state)]).toEqual([id, ['n', 'mood', 'log']]);
    while (s.open.length > 0) s.answer(s.open[0]!, { action: 'approve', values: { ok: true } });
    expect(s.status).toBe('completed');
    expect(s.state()).toEqual({ n: 1, mood: 'calm', log: [] });
  });

  it('has it in a fork onto that version, and after a rollback to before the move', () => {
    const s = new Scenario(keyed({})).start();
    const past = s.until(s.run.seq).run;
    const child = s.forkAt(s.run.seq);
    const to = programOf(keyed(added));
    child.act({ type: 'fork', parent: s.run.id, atSeq: s.run.seq, effects: 'ask', onto: { to, mapping: {} }, reason });
    expect(child.state()).toEqual({ n: 1, mood: 'calm', log: [] });
    move(s, keyed(added)).act({ type: 'rollback', to: past.seq, past, effects: 'ask', reason });
    expect(s.state()).toEqual({ n: 1, mood: 'calm', log: [] });
  });
});

describe('rollback', () => {
  it('sets tokens and state back in place, as one more fact; visits go on', () => {
    const s = new Scenario(line, outputs).start();
    const to = s.seqOf('node.started', data => data.node === 'b') - 1;
    const past = s.until(to).run;
    const before = s.events.length;
    s.act({ type: 'rollback', to, past, effects: 'ask', reason });
    expect(s.of('run.rolledBack')).toMatchObject([{ to, reason }]);
    expect(s.events.slice(0, before)).toHaveLength(before);
    expect(s.of('node.started').map(({ node, visit }) => `${node}#${visit}`)).toEqual([
      'a#1',
      'b#1',
      'c#1',
      'b#2',
      'c#2',
    ]);
    expect(s.state()).toEqual({ log: ['a', 'b', 'c'] });
    expect(s.status).toBe('completed');
  });

  it('withdraws open questions and asks again those that stood then, with new ids, however often', () => {
    const definition = graph({
      nodes: { a: step, q: form(['ok']), r: form(['ok']) },
      routes: { a: [{ to: ['q'] }], q: [{ to: ['r'] }] },
    });
    const s = new Scenario(definition).start();
    const to = s.run.seq;
    const past = s.run;
    const ids = new Set([s.asked('q')]);
    for (let round = 0; round < 3; round += 1) {
      s.answer('q', { values: { ok: true } });
      expect(s.open).toEqual(['r']);
      s.act({ type: 'rollback', to, past, effects: 'ask', reason });
      expect(s.open).toEqual(['q']);
      ids.add(s.asked('q'));
    }
    expect(ids.size).toBe(4);
    expect(s.run.generation).toBe(3);
    s.answer('q', { values: { ok: true } }).answer('r', { values: { ok: true } });
    expect(s.status).toBe('completed');
  });

  it('takes over what the node at work then had recorded', () => {
    const s = new Scenario(line, {
      ...outputs,
      b: ({ task, visit }) => {
        const fetched = task.execution!.journal.get('x#1')?.value;
        return visit === 1 ? 'busy' : done(fetched ?? 'lost');
      },
    }).start();
    s.report(
      { token: '', node: 'b', visit: 1 },
      { ops: [{ type: 'record', op: 'x#1', kind: 'run', digest: '', value: 'kept' }] },
    );
    const past = s.run;
    s.finish('b', done('first'));
    s.act({ type: 'rollback', to: past.seq, past, effects: 'ask', reason });
    expect(
      s
        .of('node.succeeded')
        .filter(({ node }) => node === 'b')
        .map(({ output }) => output),
    ).toEqual(['first', 'kept']);
  });

  it('may go back into the middle of an act, and comes to an end all the same', () => {
    const definition = graph({
      nodes: { a: step, q: form(['ok']), c: step },
      routes: { a: [{ to: ['q'] }], q: [{ to: ['c'] }] },
    });
    const s = new Scenario(definition).start().act({ type: 'jump', to: 'c', reason });
    for (let to = 1; to <= s.seqOf('run.completed'); to += 1) {
      const back = s.until(s.run.seq);
      back.act({ type: 'rollback', to, past: s.until(to).run, effects: 'ask', reason });
      if (back.status === 'suspended') back.answer('q', { values: { ok: true } });
      expect([to, back.status]).toEqual([to, 'completed']);
    }
  });

  it('goes back into a scope that was open then', () => {
    const forked = graph({
      state,
      nodes: { start: step, a: form(['ok']), b: add('b'), J: { ...add('J'), join: 'all' } },
      routes: { start: [{ to: ['a', 'b'] }], a: [{ to: ['J'] }], b: [{ to: ['J'] }] },
    });
    const s = new Scenario(forked).start();
    const past = s.run;
    s.answer('a', { values: { ok: true } });
    expect(s.status).toBe('completed');
    s.act({ type: 'rollback', to: past.seq, past, effects: 'ask', reason });
    expect(s.open).toEqual(['start#1.0/a']);
    s.answer('a', { values: { ok: false } });
    expect(s.state()).toEqual({ log: ['b', 'J'] });
    expect(s.status).toBe('completed');
  });
});
