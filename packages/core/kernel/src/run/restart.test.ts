import { describe, expect, it } from 'vitest';
import type { GraphDefinition, NodeDefinition } from '../graph/definition.ts';
import type { ResumeDefinition } from '../request/definition.ts';
import type { OpReport } from './command.ts';
import { visibleAnswers } from './decide/bindings.ts';
import { done, graph, Scenario, type Script } from './testing/scenario.ts';

type Restart = Extract<ResumeDefinition, { mode: 'restart' }>;
const step: NodeDefinition = { type: 'step', handler: 'work', timeout: '5s' };

function asking(resume: Partial<Restart> = {}): NodeDefinition {
  return {
    type: 'ask',
    request: {
      kind: 'form',
      title: 'Which city?',
      fields: [{ name: 'city', type: 'text', label: 'City', required: true }],
      resume: { mode: 'restart', ...resume },
    },
    update: { city: 'output.values.city' },
  };
}

const state: GraphDefinition['state'] = {
  city: { schema: { type: 'string', default: '' } },
  log: { schema: { type: 'array', items: { type: 'string' } }, reducer: 'append' },
  kept: { schema: { type: 'string', default: '' } },
};
/** Asks once: the second pass knows the city. */
const unlessKnown = (ask: string, then: string) => [{ to: [ask], when: "state.city == ''" }, { to: [then] }];

function line(resume: Partial<Restart> = {}): GraphDefinition {
  return graph({
    state,
    nodes: {
      a: { ...step, update: { log: "['a']" } },
      b: { ...step, update: { log: "['b']" } },
      q: asking(resume),
      z: step,
    },
    routes: { a: [{ to: ['b'] }], b: unlessKnown('q', 'z') },
  });
}
const oslo = { values: { city: 'Oslo' } };

describe('an answer that restarts', () => {
  it('goes back to the entry at the top level: state as it was then, plus the update of the asking node', () => {
    const s = new Scenario(line()).start().answer('q', oslo);
    expect(s.started()).toEqual(['a', 'b', 'q', 'a', 'b', 'z']);
    expect(s.state()).toEqual({ city: 'Oslo', log: ['a', 'b'], kept: '' });
    expect(s.of('episode.started')).toMatchObject([
      { episode: 1, token: '', at: 'a', answer: { values: { city: 'Oslo' } } },
    ]);
    expect(s.status).toBe('completed');
  });

  it('carries over what it says', () => {
    const s = new Scenario(line({ carry: { kept: "string(state.log.size()) + ' so far'" } })).start().answer('q', oslo);
    expect(s.state()).toMatchObject({ kept: '2 so far', log: ['a', 'b'] });
  });

  it('may go back to a named node only', () => {
    const s = new Scenario(line({ at: 'b' })).start().answer('q', oslo);
    expect(s.started()).toEqual(['a', 'b', 'q', 'b', 'z']);
    expect(s.state()).toMatchObject({ log: ['a', 'b'] });
  });

  it('leaves counters going on: visits are further ones, with new keys', () => {
    const s = new Scenario(line()).start().answer('q', oslo);
    expect(
      s
        .of('node.started')
        .filter(({ node }) => node === 'a')
        .map(({ visit }) => visit),
    ).toEqual([1, 2]);
    expect(s.run.episode).toBe(1);
  });

  it('counts as established in the fresh pass', () => {
    const answers: unknown[] = [];
    const s = new Scenario(line(), {
      a: ({ token }) => {
        answers.push(visibleAnswers(s.run, token).map(({ title, values }) => [title, values]));
        return done();
      },
    });
    s.start().answer('q', oslo);
    expect(answers).toEqual([[], [['Which city?', { city: 'Oslo' }]]]);
  });

  it('continues where it asked when it is rejected or cancelled', () => {
    const s = new Scenario({ ...line(), routes: { ...line().routes, q: [{ to: ['z'] }] } })
      .start()
      .answer('q', { action: 'reject' });
    expect(s.started()).toEqual(['a', 'b', 'q', 'z']);
    expect(s.of('episode.started')).toEqual([]);
  });

  it('fails the asking node when what it carries does not fit the state, and changes nothing else', () => {
    const s = new Scenario(line({ carry: { log: '[output.values.city]', kept: 'state.kept' } }));
    const bad = { ...line(), state: { ...state, city: { schema: { type: 'string', default: '', maxLength: 2 } } } };
    const failed = new Scenario(bad).start().answer('q', oslo);
    expect(failed.of('node.failed')).toMatchObject([{ node: 'q', error: { code: 'InvalidState' } }]);
    expect(failed.of('episode.started')).toEqual([]);
    expect(s.start().answer('q', oslo).state()).toMatchObject({ log: ['Oslo', 'a', 'b'] });
  });
});

describe('a restart inside', () => {
  const branches = (resume: Partial<Restart> = {}): GraphDefinition =>
    graph({
      state,
      nodes: {
        start: { ...step, update: { log: "['start']" } },
        a: { ...step, update: { log: "['a']" } },
        q: asking(resume),
        done: step,
        w: { type: 'ask', request: { kind: 'confirmation', title: 'And you?' } },
        J: { ...step, join: 'all' },
      },
      routes: {
        start: [{ to: ['a', 'w'] }],
        a: unlessKnown('q', 'done'),
        done: [{ to: ['J'] }],
        w: [{ to: ['J'] }],
      },
    });

  it('a branch goes back to the start of the branch, and leaves its siblings alone', () => {
    const s = new Scenario(branches()).start().answer('q', oslo);
    expect(s.started()).toEqual(['start', 'a', 'w', 'q', 'a', 'done']);
    expect(s.open).toEqual(['start#1.1/w']);
    s.answer('w', { action: 'approve' });
    expect(s.state()).toMatchObject({ log: ['start', 'a'], city: 'Oslo' });
    expect(s.status).toBe('completed');
  });

  it('a branch with in: run unwinds the whole run and withdraws the questions of siblings', () => {
    const definition = branches({ in: 'run' });
    const s = new Scenario(definition).start();
    const sibling = s.asked('w')!;
    s.answer('q', oslo);
    expect(s.run.closedRequests.get(sibling)?.status).toBe('withdrawn');
    expect(s.started().slice(4)).toEqual(['start', 'a', 'w', 'done']);
    expect(s.asked('w')).not.toBe(sibling);
    s.answer('w', { action: 'approve' });
    expect(s.status).toBe('completed');
    expect(s.state()).toMatchObject({ log: ['start', 'a'], city: 'Oslo' });
    expect(s.run.scopes.size).toBe(1);
    expect(s.of('scope.opened').map(({ scope }) => scope)).toEqual(['start#1', 'start#2']);
  });

  it('a subgraph goes back to its start, with its own state; in: run goes to the entry of the run', () => {
    const inner = (resume: Partial<Restart>) =>
      graph({
        name: 'inner',
        input: {},
        state,
        nodes: { a: { ...step, update: { log: "['a']" } }, q: asking(resume), z: step },
        routes: { a: unlessKnown('q', 'z') },
        output: { log: 'state.log', city: 'state.city' },
      });
    const around = (resume: Partial<Restart>) =>
      graph({
        state,
        nodes: { first: step, sub: { type: 'subgraph', graph: 'inner', share: ['city'] } },
        routes: { first: [{ to: ['sub'] }] },
        graphs: { inner: inner(resume) },
      });
    const s = new Scenario(around({})).start().answer('q', oslo);
    expect(s.started()).toEqual(['first', 'sub', 'a', 'q', 'a', 'z']);
    expect(s.run.output).toEqual({ log: ['a'], city: 'Oslo' });
    const answers: unknown[] = [];
    const script: Script = {
      a: ({ token }) => {
        answers.push(visibleAnswers(all.run, token).length);
        return done();
      },
    };
    const all = new Scenario(around({ in: 'run' }), script);
    all.start().answer('q', oslo);
    expect(all.started()).toEqual(['first', 'sub', 'a', 'q', 'first', 'sub', 'a', 'z']);
    expect(answers).toEqual([0, 1]);
  });

  it('an item of a map begins the item again, and no other', () => {
    const definition = graph({
      nodes: {
        each: {
          type: 'map',
          items: '[1, 2]',
          body: {
            node: {
              type: 'ask',
              request: {
                kind: 'form',
                title: 'Which?',
                fields: [{ name: 'v', type: 'text', label: 'V', required: true }],
                resume: { mode: 'restart' },
              },
            },
          },
        },
      },
    });
    const s = new Scenario(definition).start();
    s.answer('each#1*.0/body', { values: { v: 'x' } });
    expect(s.of('node.started').map(({ token, visit }) => `${token}#${visit}`)).toEqual([
      '#1',
      'each#1*.0#1',
      'each#1*.1#1',
      'each#1*.0#2',
    ]);
    expect(s.open).toEqual(['each#1*.1/body', 'each#1*.0/body']);
  });
});

describe('chains and repeated effects', () => {
  const always = graph({
    limits: { maxChain: 4 },
    state,
    nodes: { a: { ...step, update: { log: '[string(run.episode)]' } }, q: asking() },
    routes: { a: [{ to: ['q'] }] },
  });

  it('are of bounded depth', () => {
    const s = new Scenario(always).start();
    for (let round = 0; round < 4; round += 1) s.answer('q', oslo);
    expect(s.run.error?.code).toBe('LimitReached');
    expect(s.of('limit.reached')).toMatchObject([{ limit: 'maxChain', value: 4 }]);
    expect(s.run.episode).toBe(4);
  });

  const effects = { count: 0 };
  /** Pays once per pass, or takes what the journal says. */
  const pays: Script[string] = ({ task, visit }) => {
    const pay = { op: 'pay#1', kind: 'run' as const, digest: 'd' };
    const known = task.execution!.journal.get('pay#1');
    if (known?.status === 'recorded') return done(known.value ?? null);
    if (known?.status === 'intended') {
      effects.count += 1;
      return { ops: [{ type: 'record', ...pay, value: `paid in visit ${visit}` }] };
    }
    return { ops: [{ type: 'intend', ...pay, class: 'once' } as OpReport] };
  };

  it('effects before the question happen again, with new keys', () => {
    effects.count = 0;
    const s = new Scenario(line(), { a: pays }).start().answer('q', oslo);
    expect(s.status).toBe('completed');
    expect(effects.count).toBe(2);
  });

  it('dedupe: run gives the first result of what was done once, by name and arguments', () => {
    effects.count = 0;
    const s = new Scenario(line({ dedupe: 'run' }), { a: pays }).start().answer('q', oslo);
    expect(s.status).toBe('completed');
    expect(effects.count).toBe(1);
    const outputs = s
      .of('node.succeeded')
      .filter(({ node }) => node === 'a')
      .map(({ output }) => output);
    expect(outputs).toEqual(['paid in visit 1', 'paid in visit 1']);
    expect(s.of('op.recorded').map(({ visit, again }) => [visit, again])).toEqual([
      [1, undefined],
      [2, true],
    ]);
  });

  it('dedupe: run holds over several passes, and gives each result once', () => {
    effects.count = 0;
    const definition = { ...always, nodes: { ...always.nodes, q: asking({ dedupe: 'run' }) } };
    const s = new Scenario(definition, { a: pays }).start();
    for (let round = 0; round < 3; round += 1) s.answer('q', oslo);
    expect(effects.count).toBe(1);
    const twice = graph({
      state,
      nodes: { a: step, q: asking({ dedupe: 'run' }), z: step },
      routes: { a: [{ to: ['a'], when: 'run.step == 1 || run.step == 4' }, ...unlessKnown('q', 'z')] },
    });
    effects.count = 0;
    const looping = new Scenario(twice, { a: pays }).start();
    expect(effects.count).toBe(2);
    looping.answer('q', oslo);
    expect(effects.count).toBe(2);
    const outputs = looping
      .of('node.succeeded')
      .filter(({ node }) => node === 'a')
      .map(({ output }) => output);
    expect(outputs).toEqual(['paid in visit 1', 'paid in visit 2', 'paid in visit 1', 'paid in visit 2']);
  });

  it('dedupe: run in one branch takes nothing from another', () => {
    effects.count = 0;
    const definition = graph({
      state,
      nodes: {
        start: step,
        a: step,
        q: asking({ dedupe: 'run' }),
        z: step,
        other: step,
        go: { type: 'wait', signal: 'go' },
        J: { ...step, join: 'all' },
      },
      routes: {
        start: [{ to: ['a', 'other'] }],
        a: unlessKnown('q', 'z'),
        z: [{ to: ['J'] }],
        other: [{ to: ['go'], when: 'run.visits.other < 2' }, { to: ['J'] }],
        go: [{ to: ['other'] }],
      },
    });
    const s = new Scenario(definition, { a: pays, other: pays }).start();
    expect(effects.count).toBe(2);
    s.answer('q', oslo);
    expect(effects.count).toBe(2);
    s.act({ type: 'signal', name: 'go', value: null });
    expect(effects.count).toBe(3);
    expect(s.status).toBe('completed');
  });

  it('what was done once is kept only where a restart may come to it again', () => {
    const plain = new Scenario(graph({ nodes: { a: step } }), { a: pays }).start();
    expect(plain.run.doneOnce).toEqual([]);
    expect(JSON.stringify(plain.events)).not.toContain('"keep"');
  });
});

describe('a restart asked from inside a handler', () => {
  it('goes back to a declared target, and says what is missing where none is declared', () => {
    const request = {
      kind: 'form' as const,
      title: 'Which city?',
      fields: [{ name: 'city', type: 'text', label: 'City', required: true }],
      resume: { mode: 'restart' as const, at: 'a', carry: { city: 'output.values.city' } },
    };
    const b: Script[string] = ({ state: now }) =>
      now.city === ''
        ? { ops: [{ type: 'ask', op: 'ask#1', digest: '', request }], end: { type: 'suspended', ops: ['ask#1'] } }
        : done(now.city ?? null);
    const definition = (targets: readonly string[]) =>
      graph({ state, nodes: { a: step, b: { ...step, restartTargets: targets } }, routes: { a: [{ to: ['b'] }] } });
    const s = new Scenario(definition(['a']), { b }).start().answer('b', oslo);
    expect(s.started()).toEqual(['a', 'b', 'a', 'b']);
    expect(s.run.output).toBe('Oslo');
    expect(visibleAnswers(s.run, s.run.tokens.get('')!)).toMatchObject([{ node: 'b', name: 'ask' }]);
    const missing = new Scenario(definition([]), { b }).start().answer('b', oslo);
    expect(missing.run.error?.code).toBe('RestartTargetUnknown');
  });

  it('tells which of its questions each answer belongs to, and an ask node needs no more than its own name', () => {
    const question = (op: string, title: string) => ({
      ops: [
        {
          type: 'ask' as const,
          op,
          digest: '',
          request: {
            kind: 'form' as const,
            title,
            fields: [{ name: 'more', type: 'text' }],
            resume: { mode: 'restart' as const },
          },
        },
      ],
      end: { type: 'suspended' as const, ops: [op] },
    });
    const a: Script[string] = ({ token: { answers } }) => {
      const op = ['music/taste#1', 'occasion#1'][answers.length];
      return op === undefined ? done(null) : question(op, 'And?');
    };
    const s = new Scenario(graph({ nodes: { a: { ...step, restartTargets: ['a'] } }, routes: {} }), { a }).start();
    s.answer('a', { action: 'approve' }).answer('a', { action: 'edit' });
    expect(visibleAnswers(s.run, s.run.tokens.get('')!)).toMatchObject([
      { name: 'music/taste', action: 'approve' },
      { name: 'occasion', action: 'edit' },
    ]);
    const node = new Scenario(line()).start().answer('q', oslo);
    expect(visibleAnswers(node.run, node.run.tokens.get('')!)[0]).not.toHaveProperty('name');
  });
});
