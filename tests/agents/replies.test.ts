import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { calls, desk, eventsOf, tool } from './testing/desk.ts';

const OUTPUT = { agent: { output: z.object({ verdict: z.enum(['yes', 'no']) }) } };

describe('the reply of an agent', () => {
  it('is its output when it fits the schema, between fences as well', async () => {
    const { run } = desk({ ...OUTPUT, says: ['```json\n{"verdict":"yes"}\n```'] });
    expect(await (await run()).view()).toMatchObject({ status: 'completed', output: { verdict: 'yes' } });
  });

  // Read by a pattern that tries every pair of blank lines this takes a minute and more: hanging, by the limit of the test.
  it('of blank lines without end behind a fence is no JSON, which does not take long to find', async () => {
    const { run, models } = desk({ ...OUTPUT, says: [`\`\`\`json${'\n'.repeat(6_000)}x`, '{"verdict":"no"}'] });
    expect(await (await run()).view()).toMatchObject({ output: { verdict: 'no' } });
    expect(models.requests).toHaveLength(2);
  }, 60_000);

  it('that does not fit is sent back with the exact fault, so often and no more', async () => {
    const { run, models } = desk({ ...OUTPUT, says: ['{"verdict":"maybe"}', 'yes', '{"verdict":"no"}'] });
    expect(await (await run()).view()).toMatchObject({ output: { verdict: 'no' } });
    const told = models.requests
      .at(-1)!
      .messages.filter(({ role }) => role === 'user')
      .slice(1);
    expect(told).toMatchObject([
      { text: expect.stringContaining('/verdict') },
      { text: expect.stringContaining('one JSON value') },
    ]);
    const hopeless = desk({ ...OUTPUT, says: ['a', 'b', 'c', 'never'] });
    expect(await (await hopeless.run()).view()).toMatchObject({ status: 'failed', error: { code: 'ReplyInvalid' } });
  });

  it('is mended by a model of its own where one is set, which then leaves the work to the other', async () => {
    const input_schema = { type: 'object', required: ['id'], properties: { id: { type: 'string' } } };
    const { run, models } = desk({
      tools: { look: ({ id }) => id },
      allowed: [tool('look', { input_schema })],
      agent: { repairModel: 'test/small' },
      says: [calls('look', '{"id":'), calls('look', {}), calls('look', { id: 'a' }), '', 'Done.'],
    });
    expect(await (await run()).view()).toMatchObject({ status: 'completed', output: 'Done.' });
    const asked = models.requests.map(({ model }) => model);
    expect(asked).toEqual(['test/one', 'test/small', 'test/small', 'test/one', 'test/small']);
    expect(models.requests[1]!.messages.at(-1)).toMatchObject({ result: { refused: { code: 'argumentsUnreadable' } } });
  });

  it('has to keep the rules of the contract', async () => {
    const contract = { output_rules: [{ assert: "output.contains('EUR')", message: 'Amounts have a currency' }] };
    const { run, models } = desk({ contract, says: ['It is 5.', 'It is 5 EUR.'] });
    expect(await (await run()).view()).toMatchObject({ output: 'It is 5 EUR.' });
    expect(models.requests[1]!.messages.at(-1)).toMatchObject({
      text: expect.stringContaining('Amounts have a currency'),
    });
  });

  it('breaks a rule that cannot be evaluated, and is told why it cannot', async () => {
    const output = { type: 'object', properties: { total: { type: 'number' } } };
    const contract = {
      output_schema: output,
      output_rules: [{ assert: 'state.nothing > 0', message: 'Nothing is wanted' }],
    };
    const { run, models } = desk({ contract, says: ['{"total":1}', '{"total":2}', '{"total":3}'] });
    expect(await (await run()).view()).toMatchObject({ status: 'failed', error: { code: 'ReplyInvalid' } });
    expect(models.requests[1]!.messages.at(-1)).toMatchObject({
      text: expect.stringMatching(/Nothing is wanted \(`state\.nothing > 0` cannot be evaluated: .*nothing/),
    });
  });

  it('that is empty, refused, filtered or cut off is no output, and what a refusal calls is not done', async () => {
    const refused = desk({ says: [{ text: 'I cannot.', finish: 'refused' }] });
    expect(await (await refused.run()).view()).toMatchObject({ status: 'failed', error: { code: 'ModelRefused' } });
    let done = 0;
    for (const finish of ['refused', 'filtered'] as const) {
      const says = [{ calls: [{ tool: 'pay', arguments: {} }], finish }];
      const half = desk({ tools: { pay: () => ++done }, allowed: [tool('pay')], says });
      expect(await (await half.run()).view()).toMatchObject({ status: 'failed', error: { code: 'ModelRefused' } });
    }
    expect(done).toBe(0);
    const empty = desk({ says: ['', 'Here it is.'] });
    expect(await (await empty.run()).view()).toMatchObject({ output: 'Here it is.' });
    const cut = desk({ says: [{ text: 'It is about to', finish: 'length' }, 'Short.'] });
    expect(await (await cut.run()).view()).toMatchObject({ output: 'Short.' });
  });
});

describe('a decision_request in a reply', () => {
  const asks = (request: object) => `{"prose": "Sure, done!", "decision_request": ${JSON.stringify(request)}}`;
  const QUESTION = {
    title: 'Which genre?',
    gap: 'preference',
    fields: [{ name: 'genre', type: 'text', label: 'Genre', required: true }],
  };

  it('is a question of the run: its prose is no answer, and the agent goes on from what was answered', async () => {
    const { run, box, models } = desk({ says: [asks(QUESTION), 'Jazz it is.'] });
    const handle = await run();
    const [request] = (await box.inbox()).rows;
    expect(request).toMatchObject({ title: 'Which genre?' });
    await box.answer(request!.requestId, { values: { genre: 'jazz' }, as: 'user:finn' });
    expect(await handle.settled()).toMatchObject({ status: 'completed', output: 'Jazz it is.' });
    expect(models.requests[1]!.messages.at(-1)).toMatchObject({ text: expect.stringContaining('"genre":"jazz"') });
  });

  it('that is not well put goes back to the model', async () => {
    const { run, models } = desk({ says: [asks({ fields: [] }), 'Never mind.'] });
    expect(await (await run()).view()).toMatchObject({ output: 'Never mind.' });
    expect(models.requests[1]!.messages.at(-1)).toMatchObject({ text: expect.stringContaining('decision_request') });
  });

  it('cannot say who answers, or read the state by a template', async () => {
    const { run, models } = desk({ says: [asks({ ...QUESTION, assignees: ['user:me'] }), 'Never mind.'] });
    await run();
    expect(models.requests[1]!.messages.at(-1)).toMatchObject({ text: expect.stringContaining('assignees') });
    const template = { cel: 'state.step' };
    const wishes = [
      template,
      { cel: template },
      { cel: { cel: template } },
      [{ cel: [template] }],
      { ...template, showIf: 'true' },
    ];
    for (const genre of wishes) {
      const proposal = { values: { genre }, reason: 'state.step' };
      const sly = desk({ says: [asks({ ...QUESTION, proposal })] });
      const view = await (await sly.run({ state: { step: 'secret' } })).view();
      expect(JSON.stringify(view.status === 'suspended' ? view.requests : view)).not.toContain('secret');
    }
  });

  it('stands before calls of the same reply: nothing else of it happens', async () => {
    let looked = 0;
    const { run, box } = desk({
      tools: { look: () => (looked += 1) },
      allowed: [tool('look')],
      says: [{ text: asks(QUESTION), calls: [{ tool: 'look', arguments: {} }] }, 'Done.'],
    });
    await run();
    expect((await box.inbox()).rows).toHaveLength(1);
    expect(looked).toBe(0);
  });

  it('shows its fields whatever the model says of when: what a model wrote is no expression', async () => {
    const field = { name: 'size', type: 'number', label: 'Size', showIf: "values.other == 'yes'" };
    const { run, box } = desk({ says: [asks({ title: 'How large?', fields: [field] }), 'Done.'] });
    await run();
    const [row] = (await box.inbox()).rows;
    expect(row).toMatchObject({ title: 'How large?' });
    const fields = JSON.stringify(await eventsOf(box, row!.runId, 'request.opened'));
    expect(fields).toContain('"size"');
    expect(fields).not.toContain('showIf');
  });
});

describe('the system prompt of an agent', () => {
  const contract = {
    dynamic_prompts: [
      { condition: 'state.complaints >= 3', template: 'Use a formal, careful tone.' },
      { condition: 'state.nothing > 1', template: 'Never seen.' },
    ],
  };

  it('ends with the state and the dynamic prompts that hold; one that cannot be evaluated is left out', async () => {
    const { run, models } = desk({ contract, agent: { system: 'You are a desk.' }, says: ['Yes.', 'Yes.'] });
    await run({ state: { complaints: 2 } });
    await run({ state: { complaints: 3 } });
    expect(models.requests[0]!.system).toBe('You are a desk.\n\nState:\n- complaints: 2\n- known: []');
    expect(models.requests[1]!.system).toBe(
      'You are a desk.\n\nUse a formal, careful tone.\n\nState:\n- complaints: 3\n- known: []',
    );
  });

  it('knows in its dynamic prompts what became of calls before', async () => {
    const { run, models } = desk({
      tools: {
        look: () => {
          throw new Error('The line is busy.');
        },
      },
      allowed: [tool('look')],
      contract: {
        dynamic_prompts: [{ condition: 'tools.look.failed > 0', template: 'Failed: {{ tools.look.failedInARow }}.' }],
      },
      says: [calls('look', { n: 1 }), calls('look', { n: 2 }), 'It is busy.'],
    });
    await run();
    expect(models.requests.map(({ system }) => /Failed: \d/.exec(system!)?.[0])).toEqual([
      undefined,
      'Failed: 1',
      'Failed: 2',
    ]);
  });

  it('is the same text for the same state, and stays short: the least important goes first', async () => {
    const known = Array.from({ length: 400 }, (_, index) => `entry ${index}`);
    const { run, models } = desk({ contract, says: ['Yes.', 'Yes.'] });
    await run({ state: { complaints: 5, step: 'x'.repeat(5_000), known } });
    await run({ state: { known, step: 'x'.repeat(5_000), complaints: 5 } });
    const [first, second] = models.requests.map(({ system }) => system!);
    expect(first).toBe(second);
    expect(first!.length).toBeLessThan(1_200);
    expect(first).toContain('Use a formal, careful tone.');
  });

  it('keeps the most important of 200 tokens: values go from the last key on, then prompts by priority, the later first', async () => {
    const words = (name: string, count: number) => Array.from({ length: count }, () => name).join(' ');
    const prompts = (size: number) => ({
      dynamic_prompts: [
        { condition: 'true', template: words('low', size), priority: -5 },
        { condition: 'true', template: words('early', size) },
        { condition: 'true', template: words('late', size) },
        { condition: 'true', template: words('high', size), priority: 5 },
      ],
    });
    const told = async (size: number) => {
      const { run, models } = desk({ contract: prompts(size), says: ['Yes.'] });
      await run({ state: { complaints: 3, step: 'begun' } });
      const text = models.requests[0]!.system!;
      return [...new Set(text.match(/\w+(?=:)|low|early|late|high/g))];
    };
    expect(await told(10)).toEqual(['low', 'early', 'late', 'high', 'State', 'complaints', 'known', 'step']);
    expect(await told(46)).toEqual(['low', 'early', 'late', 'high', 'State', 'complaints', 'known']);
    expect(await told(60)).toEqual(['early', 'late', 'high']);
    expect(await told(90)).toEqual(['early', 'high']);
    expect(await told(150)).toEqual(['high']);
    expect(await told(300)).toEqual([]);
  });

  it('tells a prompt of low priority as a prompt, and not as a part of the state', async () => {
    const low = { dynamic_prompts: [{ condition: 'true', template: 'Be brief.', priority: -2 }] };
    const { run, models } = desk({ contract: low, says: ['Yes.'] });
    await run({ state: { complaints: 1 } });
    expect(models.requests[0]!.system).toBe('Be brief.\n\nState:\n- complaints: 1\n- known: []');
  });
});

describe('what a model is told of a result', () => {
  const tools = { look: () => ({ id: 'a', note: 'x'.repeat(50) }), find: () => [1, 2] };
  const allowed = [tool('look'), tool('find', { bridge: 'Found {{ output.size() }}.' })];
  const says = [calls('look'), calls('find'), 'Done.'];

  it('is made and bounded as its node says, where the contract says nothing of the tool', async () => {
    const bridge = { template: '{{ tool }}: {{ output.id }}, {{ output.note }}', maxChars: 40 };
    const { run, models } = desk({ tools, allowed, says, agent: { bridge } });
    await run();
    const told = models.requests.at(-1)!.messages.filter(({ role }) => role === 'tool');
    expect(told).toMatchObject([
      { result: expect.stringMatching(/^look: a, x+ … \[cut: 59 characters in all\]$/) },
      { result: 'Found 2.' },
    ]);
    expect([...(told[0] as { result: string }).result]).toHaveLength(40);
  });

  it('needs a template that can be read', () => {
    expect(() => desk({ says, agent: { bridge: { template: '{{ output.' } } })).toThrow(
      'The bridge of an agent cannot be used',
    );
  });
});

describe('what a reply chose', () => {
  it('is a decision of the run: what was offered, what was chosen, and what was not offered and why', async () => {
    const { run, box } = desk({
      tools: { look: () => 1, offer: () => 1 },
      allowed: [tool('look'), tool('offer', { when: 'state.complaints > 5' })],
      says: [calls('look'), 'Done.'],
    });
    const handle = await run();
    const decisions = (await eventsOf(box, handle.id, 'decision.made')).filter(({ point }) => point === 'tool');
    expect(decisions).toMatchObject([
      {
        chosen: ['look'],
        options: ['look', 'reply'],
        rejected: [{ option: 'offer', code: 'disabledInState' }],
        decidedBy: 'model:test/one',
      },
      { chosen: 'reply' },
    ]);
  });

  it('says of each call that does not simply run why: refused with its code, or to be approved', async () => {
    const offer = { approval: true, input_schema: { type: 'object', required: ['id'] } };
    const allowed = [
      tool('look', { bind: { id: 'state.known' } }),
      tool('offer', offer),
      tool('send', { when: 'false' }),
    ];
    const { run, box } = desk({
      tools: { look: () => 1, offer: () => 1, drop: () => 1 },
      allowed,
      says: [
        calls('look', { id: 'x' }),
        calls('offer', '{}'),
        calls('send'),
        calls('drop'),
        calls('nothing'),
        calls('offer', { id: 1 }),
      ],
    });
    const handle = await run();
    const decisions = (await eventsOf(box, handle.id, 'decision.made')).filter(({ point }) => point === 'tool');
    const always = [
      ['send', 'disabledInState'],
      ['drop', 'notAllowed'],
    ];
    const codes = decisions.map(({ rejected }) =>
      (rejected as { option: string; code: string }[]).map(({ option, code }) => [option, code]),
    );
    expect(codes).toEqual([
      [...always, ['look', 'notBound']],
      [...always, ['offer', 'argumentsInvalid']],
      always,
      always,
      [...always, ['nothing', 'unknownTool']],
      [...always, ['offer', 'needsApproval']],
    ]);
  });

  it('is its reply where that is a question, whatever calls stand beside it', async () => {
    const question = JSON.stringify({ decision_request: { title: 'Which?', fields: [{ name: 'a', type: 'text' }] } });
    const { run, box } = desk({
      tools: { look: () => 1 },
      allowed: [tool('look')],
      says: [{ text: question, calls: [{ tool: 'look', arguments: {} }] }],
    });
    const handle = await run();
    expect(await eventsOf(box, handle.id, 'decision.made')).toMatchObject([{ point: 'tool', chosen: 'reply' }]);
  });
});
