import { scriptedModel, testbox } from '@signalbox/testkit';
import { type ContractChoice, defineGraph } from 'signalbox';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { desk, eventsOf } from './testing/desk.ts';

const VERDICT = z.object({
  queue: z.enum(['billing', 'oncall']),
  confidence: z.number().min(0).max(1),
  reason: z.string().optional(),
});
const says = (reply: object) => JSON.stringify(reply);
const UNSURE = { queue: 'billing', confidence: 0.4, reason: 'It mentions an invoice.' };

function unsure(reply: object = UNSURE, more: object = {}) {
  return desk({
    contract: { confidence: { below: 0.7, assignees: ['role:lead'] } },
    agent: { output: VERDICT, ...more },
    says: [says(reply)],
  });
}

async function openRequest(made: ReturnType<typeof desk>) {
  const handle = await made.run();
  const view = await handle.view();
  return { handle, request: view.status === 'suspended' ? view.requests[0] : undefined };
}

describe('a reply that is less sure than the contract asks for', () => {
  it('is the proposal of a question to those whom the contract names, with confidence and reason', async () => {
    const { request } = await openRequest(unsure());
    expect(request).toMatchObject({
      kind: 'form',
      assignees: ['role:lead'],
      fields: [{ name: 'queue', required: true }, { name: 'reason' }],
      proposal: {
        values: { queue: 'billing', reason: 'It mentions an invoice.' },
        confidence: 0.4,
        reason: 'It mentions an invoice.',
      },
    });
  });

  it('is the output where it is approved, and the decision is that person’s', async () => {
    const made = unsure();
    const { handle, request } = await openRequest(made);
    await made.box.answer(request!.id, { action: 'approve', as: 'user:finn' });
    expect(await handle.settled()).toMatchObject({ status: 'completed', output: UNSURE });
    expect(await eventsOf(made.box, handle.id, 'decision.made')).toContainEqual(
      expect.objectContaining({
        point: 'reply',
        chosen: UNSURE,
        confidence: 0.4,
        decidedBy: 'human:finn',
        reason: 'It mentions an invoice.',
      }),
    );
    expect(made.models.requests).toHaveLength(1);
  });

  it('is the output as it was edited, after a restart as well', async () => {
    const made = unsure();
    const { handle, request } = await openRequest(made);
    const again = await made.box.restart();
    await again.answer(request!.id, { action: 'edit', values: { queue: 'oncall' }, as: 'user:finn' });
    const settled = await again.get(handle.id).settled();
    expect(settled).toMatchObject({ status: 'completed', output: { queue: 'oncall', confidence: 0.4 } });
    expect((settled as { output: object }).output).not.toHaveProperty('reason');
    expect((await again.get(handle.id).reExecute()).same).toBe(true);
  });

  it('fails the node where it is rejected, which a route may take', async () => {
    const made = unsure();
    const { handle, request } = await openRequest(made);
    await made.box.answer(request!.id, { action: 'reject', note: 'Neither.', as: 'user:finn' });
    expect(await handle.settled()).toMatchObject({
      status: 'failed',
      error: { code: 'Declined', message: expect.stringContaining('Neither.') },
    });
    expect(await eventsOf(made.box, handle.id, 'decision.made')).toContainEqual(
      expect.objectContaining({ point: 'reply', chosen: null, decidedBy: 'human:finn' }),
    );
    expect(made.models.requests).toHaveLength(1);
  });

  it('names its alternatives, where it has some, and is shown as it is where no form can hold it', async () => {
    const output = VERDICT.extend({ alternatives: z.array(z.object({ queue: z.string(), why: z.string() })) });
    const alternatives = [{ queue: 'oncall', why: 'It is urgent.' }];
    const made = unsure({ ...UNSURE, alternatives }, { output });
    const { handle, request } = await openRequest(made);
    expect(request).toMatchObject({ kind: 'form', proposal: { alternatives, values: { queue: 'billing' } } });
    await made.box.answer(request!.id, { action: 'approve', as: 'user:finn' });
    expect(await handle.settled()).toMatchObject({ output: { ...UNSURE, alternatives } });

    const deep = z.object({ plan: z.object({ steps: z.array(z.string()) }), confidence: z.number() });
    const plan = { plan: { steps: ['call', 'write'] }, confidence: 0.1 };
    const shown = await openRequest(unsure(plan, { output: deep }));
    expect(shown.request).toMatchObject({ kind: 'confirmation', proposal: { confidence: 0.1 } });
    expect(JSON.stringify(shown.request!.displays)).toContain('write');
  });

  it('is asked about again, with what is wrong, when the edited reply breaks a rule of the contract', async () => {
    const made = desk({
      contract: {
        confidence: 0.7,
        output_rules: [{ assert: "output.queue != 'oncall'", message: 'Nobody is on call' }],
      },
      agent: { output: VERDICT },
      says: [says(UNSURE)],
    });
    const { handle, request } = await openRequest(made);
    await made.box.answer(request!.id, { action: 'edit', values: { queue: 'oncall' }, as: 'user:finn' });
    const view = await handle.settled();
    const [second] = view.status === 'suspended' ? view.requests : [];
    expect(second).toMatchObject({ message: expect.stringContaining('Nobody is on call') });
    await made.box.answer(second!.id, { action: 'approve', as: 'user:finn' });
    expect(await handle.settled()).toMatchObject({ status: 'completed', output: { queue: 'billing' } });
  });

  it('takes nothing that the model wrote for a template', async () => {
    const parts = { queue: z.json(), confidence: z.number(), reason: z.json(), alternatives: z.json() };
    const sly = { cel: 'state.complaints' };
    const alternatives = [sly, { queue: sly, why: { cel: sly } }];
    const reply = { queue: sly, confidence: 0.1, reason: sly, alternatives };
    const { request } = await openRequest(unsure(reply, { output: z.object(parts) }));
    const text = 'state.complaints';
    const proposal = { alternatives: [text, { queue: text, why: text }] };
    expect(request).toMatchObject({ kind: 'confirmation', proposal });
    expect(JSON.stringify(request!.displays)).toContain('state.complaints');
  });
});

describe('a reply that is not asked about', () => {
  it('is as sure as the contract asks for', async () => {
    const made = unsure({ queue: 'billing', confidence: 0.7 });
    expect(await (await made.run()).view()).toMatchObject({ status: 'completed' });
  });
});

describe('a threshold', () => {
  it('is not passed by a reply that says no confidence at all', async () => {
    const made = unsure({ queue: 'billing' }, { output: VERDICT.partial({ confidence: true }) });
    expect((await openRequest(made)).request).toMatchObject({ proposal: { values: { queue: 'billing' } } });
  });

  it('is not passed by a confidence that is none: it says 0 to 1', async () => {
    const { request } = await openRequest(
      unsure({ queue: 'billing', confidence: 7 }, { output: VERDICT.extend({ confidence: z.number() }) }),
    );
    expect(request).toMatchObject({ kind: 'form', proposal: { values: { queue: 'billing' } } });
    expect(request!.proposal).not.toHaveProperty('confidence');
  });

  it('is asked of whom the contract names, and of whom the agent names where the contract names nobody', async () => {
    const asked = async (contract: object) => {
      const agent = { output: VERDICT, confidence: { below: 0.9, assignees: ['user:ada'] } };
      const { request } = await openRequest(desk({ contract, agent, says: [says(UNSURE)] }));
      return request!.assignees;
    };
    expect(await asked({ confidence: { below: 0.7, assignees: ['role:lead'] } })).toEqual(['role:lead']);
    expect(await asked({ confidence: 0.7 })).toEqual(['user:ada']);
    expect(await asked({})).toEqual(['user:ada']);
  });

  it('of an agent holds beside the contract’s: the stricter counts', async () => {
    const made = unsure({ queue: 'billing', confidence: 0.8 }, { confidence: { below: 0.9 } });
    expect((await openRequest(made)).request).toMatchObject({ proposal: { confidence: 0.8 } });
    const lower = unsure({ queue: 'billing', confidence: 0.5 }, { confidence: { below: 0.1 } });
    expect((await openRequest(lower)).request).toMatchObject({ proposal: { confidence: 0.5 } });
  });

  it('of a route is a guard in front of a node that asks', async () => {
    const builder = defineGraph({ name: 'routed', input: z.object({}) });
    const triage = builder.agent({
      model: 'test/one',
      contract: { version: '1.0', agent_name: 'triage', allowed_tools: [] } as ContractChoice,
      prompt: 'Which queue?',
      output: VERDICT,
    });
    const review = builder.ask({
      title: 'Which queue?',
      form: z.object({ queue: z.enum(['billing', 'oncall']) }),
      proposal: { values: { queue: { cel: 'output.queue' } }, confidence: { cel: 'output.confidence' } },
    });
    const done = builder.step(({ nodes }) => nodes.triage?.output ?? null);
    const graph = builder.build({
      entry: 'triage',
      nodes: { triage, review, done },
      routes: {
        triage: [{ to: 'review', when: 'output.confidence < 0.6', because: 'low confidence' }, { to: 'done' }],
        review: [{ to: 'done', on: ['approve', 'edit'] }],
      },
    });
    const box = testbox({ graphs: [graph], models: scriptedModel([says(UNSURE)]) });
    const run = await box.start('routed', {});
    const view = await run.settled();
    expect(view.status === 'suspended' ? view.requests[0] : undefined).toMatchObject({
      proposal: { values: { queue: 'billing' }, confidence: 0.4 },
    });
  });
});
