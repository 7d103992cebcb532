import { describe, expect, it } from 'vitest';
import type { Principal } from '../event/commit.ts';
import type { RequestDefinition } from '../request/definition.ts';
import { asking, faultsOfAsking as faultsOf, startedAsking as started } from './testing/asking.ts';
import { graph, Scenario, USER } from './testing/scenario.ts';

const user = (id: string, onBehalfOf?: string): Principal => ({
  kind: 'user',
  id,
  ...(onBehalfOf === undefined ? {} : { onBehalfOf }),
});
const [MIA, LI, ANA] = [user('mia'), user('li'), user('ana')];
const APPROVE = { action: 'approve' };

describe('assignees', () => {
  it('by name: nobody else may answer, and the refusal is a fact', () => {
    const s = started({ assignees: ['user:mia', 'user:li'] });
    expect(s.tryAnswer('ask', APPROVE, ANA).refusal?.code).toBe('NotAssigned');
    expect(s.of('request.refused')).toMatchObject([{ code: 'NotAssigned', by: ANA }]);
    expect(s.tryAnswer('ask', APPROVE, LI).refusal).toBeUndefined();
  });

  it('by role: held against the roles that came with the answer; where none are known the caller vouches', () => {
    const request = { assignees: ['role:finance'] };
    const code = (roles?: string[]) =>
      started(request).tryAnswer('ask', { ...APPROVE, ...(roles === undefined ? {} : { roles }) }, MIA).refusal?.code;
    expect([code(['finance']), code(['sales']), code([]), code()]).toEqual([
      undefined,
      'NotAssigned',
      'NotAssigned',
      undefined,
    ]);
  });

  it('may be acted for, and a name of another kind is another', () => {
    expect(
      started({ assignees: ['user:mia'] }).tryAnswer('ask', APPROVE, user('li', 'user:mia')).refusal,
    ).toBeUndefined();
    const service: Principal = { kind: 'service', id: 'mia' };
    expect(started({ assignees: ['user:mia'] }).tryAnswer('ask', APPROVE, service).refusal?.code).toBe('NotAssigned');
  });

  it('are those of now: after an escalation the ones before may not answer any more', () => {
    const deadline = { after: '1h', onExpire: 'escalate', to: ['user:li'] } as const;
    const s = started({ assignees: ['user:mia'], deadline }).advance(3_600_000);
    expect(s.tryAnswer('ask', APPROVE, MIA).refusal?.code).toBe('NotAssigned');
    expect(s.tryAnswer('ask', APPROVE, LI).refusal).toBeUndefined();
  });

  it('never are models, tools and nodes, nor whoever acts for one', () => {
    for (const kind of ['model', 'tool', 'node'] as const) {
      const s = started({ assignees: ['user:x'] });
      for (const by of [{ kind, id: 'x' }, user('x', `${kind}:y`)]) {
        expect(s.tryAnswer('ask', APPROVE, by).refusal?.code).toBe('NotEntitled');
        const request = s.asked('ask')!;
        expect(s.send({ type: 'claimRequest', request }, by).refusal?.code).toBe('NotEntitled');
        expect(s.send({ type: 'withdrawRequest', request, reason: 'r' }, by).refusal?.code).toBe('NotEntitled');
      }
    }
  });
});

describe('a claim', () => {
  const claim = (s: Scenario, by: Principal, more: object = {}) =>
    s.send({ type: 'claimRequest', request: s.asked('ask')!, ...more }, by).refusal?.code;
  const release = (s: Scenario, by: Principal) =>
    s.send({ type: 'releaseRequest', request: s.asked('ask')! }, by).refusal?.code;

  it('keeps the others off until it is released', () => {
    const s = started({});
    expect([claim(s, MIA), claim(s, MIA), claim(s, LI)]).toEqual([undefined, undefined, 'AlreadyClaimed']);
    expect(s.of('request.claimed')).toEqual([{ request: s.asked('ask'), by: MIA }]);
    expect(s.tryAnswer('ask', APPROVE, LI).refusal?.code).toBe('AlreadyClaimed');
    expect([release(s, LI), release(s, MIA), release(s, MIA)]).toEqual(['NotClaimed', undefined, 'NotClaimed']);
    expect(s.tryAnswer('ask', APPROVE, LI).refusal).toBeUndefined();
  });

  it('can be taken over by saying so, which is told', () => {
    const s = started({});
    claim(s, MIA);
    expect(claim(s, LI, { takeOver: true })).toBeUndefined();
    expect(s.of('request.claimed')[1]).toMatchObject({ by: LI, from: MIA });
    expect(s.tryAnswer('ask', APPROVE, MIA).refusal?.code).toBe('AlreadyClaimed');
  });

  it('is no right: who may not answer may not claim', () => {
    expect(claim(started({ assignees: ['user:mia'] }), LI)).toBe('NotAssigned');
    expect(claim(started({ assignees: ['role:a'] }), LI, { roles: ['b'], takeOver: true })).toBe('NotAssigned');
    expect(claim(started({ fourEyes: true }), USER)).toBe('FourEyes');
    const s = started({});
    const request = s.asked('ask')!;
    s.answer('ask', APPROVE);
    expect(s.send({ type: 'claimRequest', request }, MIA).refusal?.code).toBe('AlreadyAnswered');
  });

  it('ends with an escalation', () => {
    const deadline = { after: '1h', onExpire: 'escalate', to: ['user:li'] } as const;
    const s = started({ deadline });
    claim(s, MIA);
    s.advance(3_600_000);
    expect(s.tryAnswer('ask', APPROVE, LI).refusal).toBeUndefined();
  });
});

describe('a service that stands first', () => {
  const RISK: Principal = { kind: 'service', id: 'risk' };
  const request = { assignees: ['service:risk', 'user:mia'], serviceTimeout: '30s' };

  it('has the question to itself, and may answer it', () => {
    const s = started(request);
    expect(s.of('request.claimed')).toMatchObject([{ by: RISK, until: s.at + 30_000 }]);
    expect(s.tryAnswer('ask', APPROVE, MIA).refusal?.code).toBe('AlreadyClaimed');
    expect(s.tryAnswer('ask', APPROVE, RISK).refusal).toBeUndefined();
  });

  it('that is silent turns it over to the next, and is asked no more', () => {
    const s = started(request).advance(30_000);
    expect(s.of('request.released')).toMatchObject([{ by: RISK, reason: 'silent' }]);
    expect(s.tryAnswer('ask', APPROVE, RISK).refusal?.code).toBe('NotAssigned');
    expect(s.tryAnswer('ask', APPROVE, MIA).refusal).toBeUndefined();
    expect(s.of('request.released')).toHaveLength(1);
  });

  it('alone turns it over to anybody, one after the other where there are more', () => {
    const s = started({ assignees: ['service:a', 'service:b'] });
    s.send({ type: 'releaseRequest', request: s.asked('ask')!, reason: 'no idea' }, { kind: 'service', id: 'a' });
    expect(s.of('request.claimed').map(({ by }) => by.id)).toEqual(['a', 'b']);
    s.advance(60_000);
    expect(s.tryAnswer('ask', APPROVE, ANA).refusal).toBeUndefined();
  });

  it('is waited for in a run that nobody attends, and then it is as if nobody were asked', () => {
    const fields = [{ name: 'n', type: 'number', default: 1 }];
    const form = { kind: 'form' as const, fields, assignees: ['service:risk'] };
    const s = new Scenario(asking(form)).start({}, { decisions: 'unattended' });
    expect(s.status).toBe('suspended');
    s.advance(60_000);
    expect(s.of('request.answered')).toMatchObject([{ values: { n: 1 }, by: { kind: 'system', id: 'default' } }]);
  });

  it('may be the next step of an escalation', () => {
    const deadline = { after: '1h', onExpire: 'escalate', to: ['service:risk', 'user:li'] } as const;
    const s = started({ deadline }).advance(3_600_000);
    expect(s.of('request.claimed')).toMatchObject([{ by: RISK }]);
  });
});

describe('four eyes', () => {
  it('exclude who started the run, whoever they act as or for', () => {
    const s = started({ fourEyes: true });
    for (const by of [USER, user('x', 'user:finn'), user('finn', 'user:x')])
      expect(s.tryAnswer('ask', { action: 'reject' }, by).refusal?.code).toBe('FourEyes');
    expect(s.tryAnswer('ask', APPROVE, MIA).refusal).toBeUndefined();
  });

  it('exclude whom the request names as its requester, from the state or as written', () => {
    const input = { type: 'object', required: ['by'], properties: { by: { type: 'string' } } };
    const s = new Scenario(asking({ fourEyes: true, requester: { cel: 'input.by' } }, { input })).start({
      by: 'user:mia',
    });
    expect(s.tryAnswer('ask', APPROVE, MIA).refusal?.code).toBe('FourEyes');
    expect(s.tryAnswer('ask', APPROVE, LI).refusal).toBeUndefined();
    const odd = new Scenario(asking({ fourEyes: true, requester: { cel: 'input.by' } }, { input })).start({
      by: 'x:y',
    });
    expect(odd.run.error?.code).toBe('InvalidPrincipal');
    expect(started({ fourEyes: true, requester: 'user:li' }).tryAnswer('ask', APPROVE, LI).refusal?.code).toBe(
      'FourEyes',
    );
  });

  it('exclude who forked the run as well as who started it', () => {
    const s = started({ fourEyes: true });
    const fork = s.forkAt(s.events.length);
    fork.send({ type: 'fork', parent: 'run_1', atSeq: s.events.length, effects: 'ask', reason: 'r' }, MIA);
    for (const by of [USER, MIA]) expect(fork.tryAnswer('ask', APPROVE, by).refusal?.code).toBe('FourEyes');
    expect(fork.tryAnswer('ask', APPROVE, LI).refusal).toBeUndefined();
  });
});

describe('a quorum', () => {
  const fields = [{ name: 'cents', type: 'number', required: true }];
  const form = { kind: 'form' as const, fields, proposal: { values: { cents: 500 } }, quorum: 2 };

  it('is met by so many distinct persons; the run sees one acceptance', () => {
    const s = started({ quorum: 3 });
    expect(s.tryAnswer('ask', APPROVE, MIA).refusal).toBeUndefined();
    expect(s.tryAnswer('ask', APPROVE, LI).refusal).toBeUndefined();
    expect(s.of('request.answered')).toEqual([]);
    expect(s.status).toBe('suspended');
    s.tryAnswer('ask', { ...APPROVE, note: 'fine' }, ANA);
    expect(s.of('request.endorsed').map(({ by }) => by)).toEqual([MIA, LI, ANA]);
    expect(s.of('request.answered')).toMatchObject([
      { action: 'approve', by: ANA, note: 'fine', endorsedBy: [MIA, LI, ANA] },
    ]);
    expect(s.of('node.succeeded')[0]?.output).toMatchObject({ by: ANA, endorsedBy: [MIA, LI, ANA] });
  });

  it('counts nobody twice, whoever they act as or for, and not the system', () => {
    const s = started({ quorum: 2 });
    s.tryAnswer('ask', APPROVE, MIA);
    for (const by of [MIA, user('x', 'user:mia'), user('mia', 'user:x')])
      expect(s.tryAnswer('ask', APPROVE, by).refusal?.code).toBe('AlreadyEndorsed');
    expect(s.tryAnswer('ask', APPROVE, { kind: 'system', id: 'x' }).refusal?.code).toBe('NotEntitled');
    expect(s.open).toEqual(['ask']);
  });

  it('the same answer again with its key is the same approval', () => {
    const s = started({ quorum: 2 });
    const sent = { ...APPROVE, key: 'k' };
    s.tryAnswer('ask', sent, MIA);
    expect(s.tryAnswer('ask', sent, MIA)).toEqual({ events: [] });
    expect(s.tryAnswer('ask', sent, LI).refusal).toBeUndefined();
    expect(s.of('request.answered')).toHaveLength(1);
  });

  it('an edit voids the approvals before it, and is the first of what stands then', () => {
    const s = started(form);
    s.tryAnswer('ask', APPROVE, MIA);
    s.tryAnswer('ask', { values: { cents: 400 } }, LI);
    expect(s.of('request.endorsed').map(({ action }) => action)).toEqual(['approve', 'edit']);
    expect(s.of('request.answered')).toEqual([]);
    expect(s.tryAnswer('ask', APPROVE, LI).refusal?.code).toBe('AlreadyEndorsed');
    s.tryAnswer('ask', APPROVE, MIA);
    expect(s.of('request.answered')).toMatchObject([{ action: 'edit', values: { cents: 400 }, endorsedBy: [LI, MIA] }]);
  });

  it('approves what the first gave where nothing was proposed, and any other value is an edit', () => {
    const s = started({ ...form, proposal: undefined as never });
    s.tryAnswer('ask', { values: { cents: 1 } }, MIA);
    s.tryAnswer('ask', { values: { cents: 2 } }, LI);
    expect(s.open).toEqual(['ask']);
    s.tryAnswer('ask', { values: { cents: 2 } }, ANA);
    expect(s.of('request.answered')).toMatchObject([{ action: 'edit', values: { cents: 2 }, endorsedBy: [LI, ANA] }]);
  });

  it('with a subject an edit ends the question: what it approves is asked for anew by whoever asked', () => {
    const s = started({ ...form, subject: { cents: 500 } });
    s.tryAnswer('ask', APPROVE, MIA);
    s.tryAnswer('ask', { action: 'edit', values: { cents: 1 } }, LI);
    expect(s.of('request.answered')).toMatchObject([{ action: 'edit', values: { cents: 1 }, by: LI }]);
    expect(s.of('request.answered')[0]).not.toHaveProperty('endorsedBy');
  });

  it('one rejection is enough', () => {
    const s = started({ quorum: 3 });
    s.tryAnswer('ask', APPROVE, MIA);
    s.tryAnswer('ask', { action: 'reject' }, LI);
    expect(s.of('request.answered')).toMatchObject([{ action: 'reject', by: LI }]);
  });

  it('goes with roles, four eyes and claims: an approval releases the claim of who gave it', () => {
    const s = started({ quorum: 2, fourEyes: true, assignees: ['role:boss'] });
    const boss = { ...APPROVE, roles: ['boss'] };
    expect(s.tryAnswer('ask', boss, USER).refusal?.code).toBe('FourEyes');
    s.send({ type: 'claimRequest', request: s.asked('ask')!, roles: ['boss'] }, MIA);
    s.tryAnswer('ask', boss, MIA);
    s.tryAnswer('ask', boss, LI);
    expect(s.status).not.toBe('suspended');
    expect(s.of('request.answered')).toHaveLength(1);
  });

  it('that those who are asked cannot meet is a fault of the graph', () => {
    expect(faultsOf({ quorum: 3, assignees: ['user:a', 'user:b', 'user:a'] })).toEqual(['QuorumOutOfReach /quorum']);
    expect(faultsOf({ quorum: 3, assignees: ['user:a', 'role:b'] })).toEqual([]);
    expect(faultsOf({ quorum: 0 })).toEqual(['OutOfRange /quorum']);
  });
});

describe('an approval', () => {
  it('is never given by a default, be it at the deadline or in a run that nobody attends', () => {
    const fields = [{ name: 'n', type: 'number', default: 1 }];
    const deadline = { after: '1h', onExpire: 'default' } as const;
    const kinds: Partial<RequestDefinition>[] = [
      { kind: 'confirmation' },
      { kind: 'form', fields, quorum: 2 },
      { kind: 'form', fields, fourEyes: true },
      { kind: 'form', fields, subject: 'x' },
      { kind: 'form', fields, gap: 'approval' },
    ];
    for (const request of kinds) {
      expect(faultsOf({ ...request, deadline })).toEqual(['DefaultForApproval /deadline/onExpire']);
      const s = new Scenario(asking(request)).start({}, { decisions: 'unattended' });
      expect(s.run.error?.code).toBe('DecisionsUnattended');
    }
    expect(faultsOf({ kind: 'form', fields, deadline })).toEqual([]);
  });
});

describe('a request that is withdrawn from outside', () => {
  const withdraw = (s: Scenario, request = s.asked('ask')!) =>
    s.send({ type: 'withdrawRequest', request, reason: 'not needed any more' }, MIA);

  it('lets its node go on as after cancel, with the reason as note; later answers are told why they are refused', () => {
    const routes = { ask: [{ to: ['gone'], on: ['cancel' as const] }, { to: ['end'] }] };
    const nodes = { ...asking({}).nodes, gone: { type: 'transform' as const } };
    const s = new Scenario(asking({}, { nodes, routes })).start();
    const request = s.asked('ask')!;
    expect(withdraw(s).refusal).toBeUndefined();
    expect(s.of('request.withdrawn')).toMatchObject([{ reason: 'withdrawn', by: MIA, note: 'not needed any more' }]);
    expect(s.started()).toEqual(['ask', 'gone']);
    expect(s.of('node.succeeded')[0]?.output).toMatchObject({ action: 'cancel', note: 'not needed any more', by: MIA });
    const { refusal } = s.tryAnswer(request, APPROVE);
    expect(refusal).toMatchObject({
      code: 'RequestClosed',
      details: { status: 'withdrawn', reason: 'not needed any more' },
    });
    expect(withdraw(s, request).refusal?.code).toBe('RequestClosed');
  });

  it('gives a handler that asked the same', () => {
    const request = { kind: 'confirmation' as const, title: 'Go?' };
    const seen: unknown[] = [];
    const definition = graph({ nodes: { a: { type: 'step', handler: 'h', timeout: '5s' } } });
    const s = new Scenario(definition, {
      a: ({ task }) => {
        const record = task.execution!.journal.get('ask#1');
        if (record?.status !== 'recorded')
          return {
            ops: [{ type: 'ask', op: 'ask#1', digest: '', request }],
            end: { type: 'suspended', ops: ['ask#1'] },
          };
        seen.push(record.value);
        return { end: { type: 'success', output: null, updates: [] } };
      },
    }).start();
    withdraw(s, s.asked('a'));
    s.drive();
    expect(seen).toMatchObject([{ action: 'cancel', note: 'not needed any more' }]);
    expect(s.status).toBe('completed');
  });
});
