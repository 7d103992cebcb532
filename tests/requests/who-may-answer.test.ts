import { graphFromDefinition, loadGraph, type SignalboxOptions } from 'signalbox';
import { describe, expect, it } from 'vitest';
import { codeOf, createLab, STORES, until } from '../cases/testing/lab.ts';

const graphOf = (request: string) => {
  const { definition, faults } = loadGraph(`
name: payment
entry: pay
input: { type: object, required: [by], properties: { by: { type: string } } }
nodes:
  pay: { type: ask, request: ${request} }
`);
  expect(faults).toEqual([]);
  return graphFromDefinition(definition!, []);
};

const ROLES: Readonly<Record<string, readonly string[]>> = { 'user:mia': ['boss'], 'user:li': ['boss'] };
const identity: SignalboxOptions['identity'] = {
  rolesOf: async ({ kind, id }, tenant) => (tenant === 'default' ? (ROLES[`${kind}:${id}`] ?? []) : []),
};

describe.each(STORES)('who may answer, on %s', kind => {
  it('two of a role, neither of them who asked for it, one of them after a restart', async () => {
    const lab = createLab(kind);
    const graph = graphOf(
      '{ kind: confirmation, title: Pay?, assign: role:boss, quorum: 2, four_eyes: true, requester: { cel: input.by } }',
    );
    let box = lab.open({ graphs: [graph], identity });
    const run = await box.start(graph, { by: 'user:li' }, { as: 'user:finn' });
    const [question] = (await run.settled()).requests;
    const id = question!.id;
    expect(question).toMatchObject({ quorum: 2, fourEyes: true, requester: 'user:li', assignees: ['role:boss'] });
    const approve = (as: string, key = as) => codeOf(box.answer(id, { action: 'approve', as, key }));
    expect(await approve('user:ana')).toBe('NotAssigned');
    expect(await approve('user:li')).toBe('FourEyes');
    expect(await approve('user:mia')).toBeUndefined();
    box = await lab.restart(box, { graphs: [graph], identity: { rolesOf: () => ['boss'] } });
    expect((await box.get(run.id).settled()).requests).toMatchObject([{ endorsedBy: [{ kind: 'user', id: 'mia' }] }]);
    expect(await approve('user:mia')).toBeUndefined(); // the same once more
    expect(await codeOf(box.answer(id, { action: 'approve', as: 'user:mia' }))).toBe('AlreadyEndorsed');
    expect(await approve('user:finn')).toBe('FourEyes');
    expect(await approve('user:ana', 'as a boss')).toBeUndefined();
    const done = await box.get(run.id).settled();
    expect(done).toMatchObject({ status: 'completed', output: { endorsedBy: [{ id: 'mia' }, { id: 'ana' }] } });
    expect((await box.inbox()).rows).toEqual([]);
  });

  it('whoever has claimed it, or took it over', async () => {
    const lab = createLab(kind);
    const graph = graphOf('{ kind: confirmation, title: Pay? }');
    const box = lab.open({ graphs: [graph] });
    const run = await box.start(graph, { by: '' });
    const id = (await run.settled()).requests[0]!.id;
    await box.claim(id, { as: 'user:mia' });
    expect((await run.view()).requests).toMatchObject([{ claimedBy: { id: 'mia' } }]);
    expect(await codeOf(box.claim(id, { as: 'user:li' }))).toBe('AlreadyClaimed');
    expect(await codeOf(box.release(id, { as: 'user:li' }))).toBe('NotClaimed');
    await box.claim(id, { as: 'user:li', takeOver: true });
    expect(await codeOf(box.answer(id, { action: 'approve', as: 'user:mia' }))).toBe('AlreadyClaimed');
    await box.release(id, { as: 'user:li' });
    await box.answer(id, { action: 'approve', as: 'user:mia' });
    expect((await run.settled()).status).toBe('completed');
    expect(await codeOf(box.claim('req_none', {}))).toBe('UnknownRequest');
  });

  it('nobody once it is withdrawn, and they are told why', async () => {
    const lab = createLab(kind);
    const graph = graphOf('{ kind: confirmation, title: Pay? }');
    const box = lab.open({ graphs: [graph] });
    const run = await box.start(graph, { by: '' });
    const id = (await run.settled()).requests[0]!.id;
    await box.withdraw(id, { as: 'user:mia', reason: 'paid by cheque' });
    expect(await run.settled()).toMatchObject({
      status: 'completed',
      output: { action: 'cancel', note: 'paid by cheque' },
    });
    await expect(box.answer(id, { action: 'approve' })).rejects.toThrow(/paid by cheque/);
  });

  it('nobody while it cannot be found out who they are', async () => {
    const lab = createLab(kind);
    const graph = graphOf('{ kind: confirmation, title: Pay?, assign: role:boss }');
    const failing = { rolesOf: () => Promise.reject(new Error('no connection')) };
    const box = lab.open({ graphs: [graph], identity: failing });
    const run = await box.start(graph, { by: '' });
    const id = (await run.settled()).requests[0]!.id;
    expect(await codeOf(box.answer(id, { action: 'approve', as: 'user:mia' }))).toBe('IdentityFailed');
    expect((await run.view()).status).toBe('suspended');
  });
});

describe.each(STORES)('a question that is asked of a service, on %s', kind => {
  const graph = graphOf(
    '{ kind: confirmation, title: Risky?, assign: [service:risk, user:mia], service_timeout: 30s }',
  );

  it('is answered by its resolver, which sees the question', async () => {
    const lab = createLab(kind);
    const seen: string[] = [];
    const risk = (request: { title: string }) => {
      seen.push(request.title);
      return { action: 'approve', note: 'low' };
    };
    const box = lab.open({ graphs: [graph], resolvers: { risk } });
    const run = await box.start(graph, { by: '' });
    const done = await until(async () => {
      const view = await run.settled();
      return view.status === 'completed' && view;
    });
    expect(done.output).toMatchObject({ action: 'approve', note: 'low', by: { kind: 'service', id: 'risk' } });
    expect(seen).toEqual(['Risky?']);
  });

  it('goes to a person when the service fails, is silent, or has no resolver', async () => {
    const silent = (_: unknown, { signal }: { signal: AbortSignal }) =>
      new Promise<undefined>(resolve => signal.addEventListener('abort', () => resolve(undefined)));
    const failing = () => {
      throw new Error('no model loaded');
    };
    const all: NonNullable<SignalboxOptions['resolvers']>[] = [{ risk: failing }, { risk: silent }, {}];
    for (const resolvers of all) {
      const lab = createLab(kind);
      const box = lab.open({ graphs: [graph], resolvers });
      const run = await box.start(graph, { by: '' });
      await run.settled();
      await lab.clock.advance('30s');
      const question = await until(async () => {
        const [request] = (await run.view()).requests;
        return request?.claimedBy === undefined && request;
      });
      expect(question).toMatchObject({ assignees: ['user:mia'] });
      expect((await box.inbox({ assignees: ['user:mia'] })).rows).toHaveLength(1);
      expect((await box.inbox({ assignees: ['service:risk'] })).rows).toHaveLength(0);
      await box.answer(question.id, { action: 'reject', as: 'user:mia' });
      expect((await run.settled()).status).toBe('completed');
    }
  });
});
