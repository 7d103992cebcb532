import { describe, expect, it } from 'vitest';
import type { GraphDefinition, NodeDefinition, RouteDefinition } from '../graph/definition.ts';
import type { RequestDefinition } from '../request/definition.ts';
import { CLOSED_KEPT, Draft } from './draft.ts';
import { done, graph, Scenario, type Script, T0, USER } from './testing/scenario.ts';

const step: NodeDefinition = { type: 'step', handler: 'work', timeout: '5s' };
const MINUTE = 60_000;
const fields = [{ name: 'qty', type: 'number', step: 1, label: 'Quantity', required: true, min: 1, max: 9 }];

function asking(request: Partial<RequestDefinition> = {}, more: Partial<GraphDefinition> = {}): GraphDefinition {
  return graph({
    state: { qty: { schema: { type: 'integer' } } },
    nodes: {
      ask: {
        type: 'ask',
        request: { kind: 'form', title: 'How many?', fields, ...request },
        update: { qty: 'output.values.qty' },
      },
      yes: step,
      no: step,
      gone: step,
      late: step,
    },
    routes: {
      ask: [
        { to: ['yes'], on: ['approve', 'edit'] },
        { to: ['no'], on: ['reject'] },
        { to: ['gone'], on: ['cancel'] },
        { to: ['late'], on: ['expired'] },
      ],
    },
    ...more,
  });
}

describe('an answer', () => {
  it('C06: only an accepted answer carries values; cancel and decline are not checked against the form', () => {
    const cases: [object, string | undefined, string[]][] = [
      [{ action: 'cancel' }, undefined, ['gone']],
      [{ action: 'decline', values: null }, undefined, ['no']],
      [{ action: 'accept', values: {} }, 'InvalidAnswer', []],
      [{ action: 'accept', values: { qty: 0 } }, 'InvalidAnswer', []],
      [{ action: 'accept', values: { qty: 4 } }, undefined, ['yes']],
    ];
    for (const [answer, code, then] of cases) {
      const s = new Scenario(asking()).start();
      const { refusal } = s.tryAnswer('ask', answer);
      s.drive();
      expect([answer, refusal?.code]).toEqual([answer, code]);
      expect(s.started().slice(1)).toEqual(then);
      expect(s.open).toEqual(code === undefined ? [] : ['ask']);
      if (code !== undefined) {
        expect(refusal?.details.issues).toMatchObject([{ pointer: '/qty' }]);
        expect(s.of('request.refused')).toMatchObject([{ code, by: USER, issues: [{ pointer: '/qty' }] }]);
        expect(s.status).toBe('suspended');
      }
    }
    expect(
      new Scenario(asking())
        .start()
        .answer('ask', { values: { qty: 4 } })
        .state(),
    ).toEqual({ qty: 4 });
  });

  it('applies the update of its node on approve and edit alone', () => {
    for (const action of ['reject', 'cancel'])
      expect(new Scenario(asking()).start().answer('ask', { action }).state()).toEqual({});
  });

  it('gives the node the output { action, values, note, by, at }', () => {
    const s = new Scenario(asking())
      .start()
      .advance(1000)
      .answer('ask', { values: { qty: 2 }, note: 'fine' });
    expect(s.of('node.succeeded')[0]).toMatchObject({
      output: { action: 'approve', values: { qty: 2 }, note: 'fine', by: USER, at: '2026-03-02T09:00:01.000Z' },
      outcome: 'approve',
    });
  });

  it('is accepted once: the second is refused, the same again with its key gets the same outcome', () => {
    const s = new Scenario(asking()).start();
    const id = s.asked('ask')!;
    s.answer(id, { values: { qty: 4 }, key: 'k1' });
    expect(s.tryAnswer(id, { values: { qty: 5 } }).refusal?.code).toBe('AlreadyAnswered');
    expect(s.tryAnswer(id, { values: { qty: 4 }, key: 'k2' }).refusal?.code).toBe('AlreadyAnswered');
    expect(s.tryAnswer(id, { values: { qty: 5 }, key: 'k1' }).refusal?.code).toBe('AlreadyAnswered');
    expect(s.tryAnswer(id, { values: { qty: 4 }, key: 'k1' })).toEqual({ events: [] });
    expect(s.of('request.answered')).toHaveLength(1);
  });

  it('once it stands, tells whoever comes too late whose it is, when it came and what was decided, and none of its values', () => {
    const s = new Scenario(asking()).start().advance(1000);
    const id = s.asked('ask')!;
    s.answer(id, { values: { qty: 4 }, note: 'secret enough' });
    const { refusal } = s.tryAnswer(id, { values: { qty: 5 } });
    const by = `${USER.kind}:${USER.id}`;
    expect(refusal?.message).toBe(
      `This request is answered already: approve by ${by} at 2026-03-02T09:00:01.000Z; that answer stands.`,
    );
    expect(refusal?.details).toEqual({
      request: id,
      status: 'answered',
      action: 'approve',
      by: USER,
      at: '2026-03-02T09:00:01.000Z',
    });
  });

  it('that names the run alone is taken when exactly one question is open', () => {
    const s = new Scenario(asking()).start();
    s.answer(undefined, { values: { qty: 1 } });
    expect(s.tryAnswer(undefined, {}).refusal?.code).toBe('AmbiguousTarget');
    expect(s.tryAnswer('req_unknown', {}).refusal?.code).toBe('UnknownRequest');
  });

  it('of a model, tool or node principal is refused', () => {
    for (const kind of ['model', 'tool', 'node'] as const) {
      const s = new Scenario(asking()).start();
      expect(s.tryAnswer('ask', { values: { qty: 4 } }, { kind, id: 'x' }).refusal?.code).toBe('NotEntitled');
      expect(s.of('request.refused')).toHaveLength(1);
      expect(s.open).toEqual(['ask']);
    }
  });

  it('reads accept and submit as approve and decline as reject, and knows no other words', () => {
    const read = (action: string) =>
      new Scenario(asking())
        .start()
        .answer('ask', { action, values: { qty: 3 } })
        .of('request.answered')[0]?.action;
    expect(['approve', 'accept', 'submit', 'edit', 'reject', 'decline', 'cancel'].map(read)).toEqual([
      'approve',
      'approve',
      'approve',
      'edit',
      'reject',
      'reject',
      'cancel',
    ]);
    for (const action of ['yes', 'toString', ''])
      expect(new Scenario(asking()).start().tryAnswer('ask', { action }).refusal?.code).toBe('UnknownAction');
  });

  it('that differs from the proposal in a proposed field is recorded as an edit', () => {
    const proposal = { values: { qty: 3 }, confidence: 0.4 };
    const more = [...fields, { name: 'note', type: 'text', label: 'Note' }];
    const action = (values?: object) =>
      new Scenario(asking({ proposal, fields: more }))
        .start()
        .answer('ask', values === undefined ? { action: 'approve' } : { values: values as never })
        .of('request.answered')[0];
    expect(action()).toMatchObject({ action: 'approve', values: { qty: 3 } });
    expect(action({ qty: 3, note: 'as proposed' })).toMatchObject({ action: 'approve' });
    expect(action({ qty: 4 })).toMatchObject({ action: 'edit', values: { qty: 4 } });
  });

  it('to a confirmation needs an action', () => {
    const confirm = asking({ kind: 'confirmation', fields: [] }, {});
    const plain = {
      ...confirm,
      nodes: {
        ...confirm.nodes,
        ask: { type: 'ask', request: { kind: 'confirmation', title: 'Pay?' } } as NodeDefinition,
      },
    };
    expect(new Scenario(plain).start().tryAnswer('ask', {}).refusal?.code).toBe('ActionRequired');
    expect(new Scenario(plain).start().answer('ask', { action: 'approve' }).started()).toEqual(['ask', 'yes']);
  });

  it('is a success whatever its action, for routes that say success', () => {
    const definition = asking();
    const { ask, yes, late } = definition.nodes;
    const nodes = { ask: ask!, yes: yes!, late: late! };
    const routes = {
      ask: [
        { to: ['yes'], on: ['success' as const] },
        { to: ['late'], on: ['expired' as const] },
      ],
    };
    for (const action of ['approve', 'edit', 'reject', 'cancel'])
      expect(
        new Scenario({ ...definition, nodes, routes })
          .start()
          .answer('ask', { action, values: { qty: 1 } })
          .started(),
      ).toEqual(['ask', 'yes']);
  });
});

describe('C07: a human step leaves by exactly one route', () => {
  const h = (): NodeDefinition => ({
    type: 'ask',
    request: { kind: 'confirmation', title: 'Yes?', deadline: { after: '10m', onExpire: 'route' } },
  });
  const out = (yes: string, name: string): RouteDefinition[] => [
    { to: [yes], on: ['approve', 'edit'] },
    { to: [`${name}no`], on: ['reject', 'cancel'] },
    { to: [`${name}late`], on: ['expired'] },
  ];
  const definition = graph({
    nodes: { h1: h(), h1yes: step, h1no: step, h1late: step, h2: h(), h2yes: step, h2no: step, h2late: step },
    routes: { h1: out('h1yes', 'h1'), h1yes: [{ to: ['h2'] }], h2: out('h2yes', 'h2') },
  });

  it('C07 (i): never answered, only the timeout target is visited, once', () => {
    const s = new Scenario(definition).start().advance(10 * MINUTE);
    expect(s.started()).toEqual(['h1', 'h1late']);
    expect(s.of('request.expired')).toMatchObject([{ onExpire: 'route' }]);
  });

  it('C07 (ii): yes, then no', () => {
    const s = new Scenario(definition).start().answer('h1', { action: 'approve' }).answer('h2', { action: 'reject' });
    expect(s.started()).toEqual(['h1', 'h1yes', 'h2', 'h2no']);
  });

  it('C07 (iii): an answer a millisecond before the deadline counts', () => {
    const s = new Scenario(definition).start();
    s.at = T0 + 10 * MINUTE - 1;
    expect(s.answer('h1', { action: 'approve' }).started()).toEqual(['h1', 'h1yes', 'h2']);
  });

  it('C07 (iv): at the deadline it has passed, whether the timer fired or not', () => {
    for (const fired of [true, false]) {
      const s = new Scenario(definition).start();
      const id = s.asked('h1')!;
      if (fired) s.advance(10 * MINUTE);
      else s.at = T0 + 10 * MINUTE;
      expect(s.tryAnswer(id, { action: 'approve' }).refusal?.code).toBe('RequestExpired');
      s.drive();
      expect(s.started()).toEqual(['h1', 'h1late']);
    }
  });
});

describe('a deadline', () => {
  it('that fails fails the node, which may have a route for it', () => {
    const deadline = { after: '10m', onExpire: 'fail' } as const;
    expect(new Scenario(asking({ deadline })).start().advance(10 * MINUTE).run.error?.code).toBe('RequestExpired');
  });

  it('that escalates asks the next with the same time again, and the last step then fails', () => {
    const deadline = { after: '10m', onExpire: 'escalate', to: ['role:lead', 'role:boss'] } as const;
    const s = new Scenario(asking({ deadline, assignees: ['role:desk'] })).start().advance(10 * MINUTE);
    const request = () => [...s.run.requests.values()][0];
    expect(request()).toMatchObject({ assignees: ['role:lead'], deadline: T0 + 20 * MINUTE });
    s.advance(10 * MINUTE);
    expect(request()).toMatchObject({ assignees: ['role:boss'], deadline: T0 + 30 * MINUTE });
    s.advance(10 * MINUTE);
    expect(s.run.error?.code).toBe('RequestExpired');
    expect(s.of('request.escalated')).toHaveLength(2);
    const early = new Scenario(asking({ deadline }))
      .start()
      .advance(25 * MINUTE)
      .answer('ask', { values: { qty: 1 } });
    expect(early.status).toBe('completed');
  });

  it('that takes the defaults answers for the system', () => {
    const deadline = { after: '10m', onExpire: 'default' } as const;
    const s = new Scenario(asking({ deadline, fields: [{ ...fields[0]!, default: 2 }] })).start().advance(10 * MINUTE);
    expect(s.of('request.answered')).toMatchObject([
      { action: 'approve', values: { qty: 2 }, by: { kind: 'system', id: 'default' } },
    ]);
    expect(s.state()).toEqual({ qty: 2 });
  });
});

describe('a run that may not ask', () => {
  const defaults = asking({ fields: [{ ...fields[0]!, default: 2 }] });

  it('with decisions off refuses to suspend, with a clear error', () => {
    const s = new Scenario(defaults).start({}, { decisions: 'off' });
    expect(s.status).toBe('failed');
    expect(s.run.error?.code).toBe('DecisionsOff');
    expect(s.of('request.opened')).toEqual([]);
  });

  it('unattended takes defaults where the request declares them; a proposal is none, and an approval never', () => {
    const s = new Scenario(defaults).start({}, { decisions: 'unattended' });
    expect(s.state()).toEqual({ qty: 2 });
    expect(s.started()).toEqual(['ask', 'yes']);
    const proposed = asking({ proposal: { values: { qty: 3 } } });
    expect(new Scenario(proposed).start({}, { decisions: 'unattended' }).run.error?.code).toBe('DecisionsUnattended');
    const confirm = {
      ...defaults,
      nodes: {
        ...defaults.nodes,
        ask: { type: 'ask', request: { kind: 'confirmation', title: 'Pay?' } } as NodeDefinition,
      },
    };
    expect(new Scenario(confirm).start({}, { decisions: 'unattended' }).run.error?.code).toBe('DecisionsUnattended');
  });
});

describe('hold: run', () => {
  const request: RequestDefinition = { kind: 'confirmation', title: 'Stop all?' };
  const definition = (hold: 'run' | 'branch') =>
    graph({
      nodes: { start: step, a: { type: 'ask', request: { ...request, hold } }, b: step, b2: step, J: { type: 'join' } },
      routes: { start: [{ to: ['a', 'b'] }], a: [{ to: ['J'] }], b: [{ to: ['b2'] }], b2: [{ to: ['J'] }] },
    });

  it('stops all reasoning of the run until answered; hold: branch lets siblings go on', () => {
    const s = new Scenario(definition('run')).start();
    expect(s.started()).toEqual(['start', 'a']);
    expect(s.status).toBe('suspended');
    s.answer('a', { action: 'approve' });
    expect(s.status).toBe('completed');
    expect(new Scenario(definition('branch')).start().started()).toEqual(['start', 'a', 'b', 'b2']);
  });

  it('holds a handler back whose own wait is over meanwhile', () => {
    const waits: Script = {
      b: ({ task }) =>
        task.execution!.journal.get('signal#1')?.status === 'recorded'
          ? done()
          : {
              ops: [{ type: 'signal', op: 'signal#1', digest: '', name: 'go' }],
              end: { type: 'suspended', ops: ['signal#1'] },
            },
    };
    const held = definition('run');
    const swapped = { ...held, routes: { ...held.routes, start: [{ to: ['b', 'a'] }] } };
    const s = new Scenario(swapped, waits).start();
    expect(s.calls).toEqual(['start#1', 'start#1.0/b#1']);
    s.act({ type: 'signal', name: 'go', value: 1 });
    expect(s.calls).toHaveLength(2);
    s.answer('a', { action: 'approve' });
    expect(s.of('node.woken')).toHaveLength(1);
    expect(s.status).toBe('completed');
  });
});

describe('a handler that ends without an answer to all that it asked', () => {
  const leaves = (end: object): Scenario => {
    const definition = graph({ nodes: { a: { type: 'step', handler: 'a' } }, routes: {} });
    const s = new Scenario(definition, { a: () => 'busy' }).start();
    const request = { kind: 'confirmation' as const, title: 'Well?' };
    const ops = [{ type: 'ask' as const, op: 'ask#1', digest: '', request }];
    s.report({ token: '', node: 'a', visit: 1 }, { ops });
    s.report({ token: '', node: 'a', visit: 1 }, { end: end as never });
    return s;
  };

  it.each([{ type: 'success', output: 1 }, { type: 'skipped' }])('takes the question with it: $type', end => {
    const s = leaves(end);
    expect(s.status).toBe('completed');
    expect(s.open).toEqual([]);
    expect(s.of('request.withdrawn')).toMatchObject([{ reason: 'superseded' }]);
  });
});

describe('requests that were closed long ago', () => {
  it('are known to a run up to a number, the latest', () => {
    const draft = new Draft(new Scenario(asking()).start().run);
    const [open] = draft.run.requests.values();
    for (let n = 0; n < CLOSED_KEPT + 5; n += 1)
      draft.closedRequests().set(`req_${n}`, { ...open!, status: 'answered' });
    draft.endCommit();
    expect([...draft.run.closedRequests.keys()]).toEqual(Array.from({ length: CLOSED_KEPT }, (_, n) => `req_${n + 5}`));
  });

  it('are refused by what the store has of them, and the refusal is recorded', () => {
    const s = new Scenario(asking()).start();
    const codes = (['answered', 'expired', 'withdrawn', 'superseded'] as const).map(closed => {
      const { refusal, events } = s.send({ type: 'answer', request: 'req_old', action: 'approve', closed }, USER);
      expect(events).toMatchObject([{ type: 'request.refused', data: { request: 'req_old', code: refusal?.code } }]);
      return refusal?.code;
    });
    expect(codes).toEqual(['AlreadyAnswered', 'RequestExpired', 'RequestClosed', 'RequestClosed']);
    expect(s.tryAnswer('req_old', { action: 'approve' }).refusal?.code).toBe('UnknownRequest');
  });
});
