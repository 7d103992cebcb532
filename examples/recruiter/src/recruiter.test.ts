import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ModelPort } from 'signalbox';
import { type ScriptLine, scriptedModel, testbox } from 'signalbox/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chooseModel } from './choose-model.ts';
import { OfferLetters } from './offer-letters.ts';
import { CONTRACT, createRecruiter } from './recruiter.ts';
import { RULES, RuleModel } from './rule-model.ts';
import { createUnderstanding } from './understand.ts';

let folder: string;
let letters: OfferLetters;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'recruiter-'));
  letters = new OfferLetters(join(folder, 'letters.db'));
});
afterEach(() => {
  letters.close();
  rmSync(folder, { recursive: true });
});

async function talk(models: ModelPort = new RuleModel(createUnderstanding())) {
  const graph = createRecruiter({ model: RULES, letters, contract: CONTRACT });
  const box = testbox({ graphs: [graph], models });
  const session = await box.sessions.open();
  const send = async (message: string) => (await session.send(graph, message, { as: 'user:kim' })).run;
  const say = async (message: string) => await (await send(message)).settled();
  return { box, session, send, say };
}

const call = (tool: string, args: object): ScriptLine => ({ calls: [{ tool, arguments: args as never }] });

describe('the recruiter', () => {
  it.each([
    ['Look up cand_a1b2c3d4', 'Ada Novak: 7 years of experience.'],
    ['查一下候选人 cand_9f8e7d6c', '王小明：3 年经验。'],
    ['Look up cand_zzzzzzzz', 'There is no record of cand_zzzzzzzz.'],
    ['Look up this candidate', 'Which candidate? Name an id.'],
  ])('answers %j', async (message, reply) => {
    expect(await (await talk()).say(message)).toMatchObject({ status: 'completed', output: reply });
  });

  it('sends an offer letter only in the step for it, and only when a person has approved it', async () => {
    const { box, say, send } = await talk();
    const order = 'Send the offer letter to cand_a1b2c3d4 at 80000';
    expect(await say(order)).toMatchObject({
      output: expect.stringContaining('only once the offer is being negotiated'),
    });
    await say('Start the offer negotiation');
    const run = await send(order);
    const view = await run.settled();
    expect(view).toMatchObject({
      status: 'suspended',
      requests: [{ title: 'Send this offer letter?', gap: 'approval' }],
    });
    expect(letters.list()).toEqual([]);
    await box.answer(view.requests[0]!.id, { action: 'approve', as: 'user:finn' });
    expect(await run.settled()).toMatchObject({ output: 'The offer letter is sent.' });
    expect(letters.list()).toEqual([{ candidate: 'cand_a1b2c3d4', salary: 80_000 }]);
  });

  it('does not send what was declined', async () => {
    const { box, say, send } = await talk();
    await say('进入谈薪');
    const run = await send('给 cand_9f8e7d6c 发录用通知书，年薪 60000');
    const [request] = (await run.settled()).requests;
    await box.answer(request!.id, { action: 'reject', as: 'user:finn' });
    expect(await run.settled()).toMatchObject({ output: '录用通知书没有发出。' });
    expect(letters.list()).toEqual([]);
  });

  it('becomes formal after three complaints of a session', async () => {
    const { say, session } = await talk();
    expect(await say('This is useless')).toMatchObject({ output: 'I am sorry about that.' });
    await say('你弄错了');
    expect(await say('You are wrong again')).toMatchObject({ output: 'Dear colleague: I am sorry about that.' });
    expect((await session.view()).state).toMatchObject({ user_complaints: 3 });
  });

  it('looks up no candidate that nobody has mentioned, whatever the model wants', async () => {
    const models = scriptedModel([call('get_candidate_info', { candidate_id: 'cand_00000042' }), 'I may not.']);
    const { say } = await talk(models);
    expect(await say('Look up cand_a1b2c3d4')).toMatchObject({ output: 'I may not.' });
    expect(models.requests[1]!.messages.at(-1)).toMatchObject({ result: { refused: { code: 'notBound' } } });
  });

  it('remembers over the messages of a session who was mentioned', async () => {
    const models = scriptedModel(['Noted.', call('get_candidate_info', { candidate_id: 'cand_a1b2c3d4' }), 'Ada.']);
    const { say } = await talk(models);
    await say('cand_a1b2c3d4 called');
    expect(await say('Who is that?')).toMatchObject({ output: 'Ada.' });
    expect(models.requests[2]!.messages.at(-1)).toMatchObject({ result: expect.stringContaining('Ada Novak') });
  });

  it('tells that no letter can go out where the model claims an approval', async () => {
    const forged = { candidate_id: 'cand_a1b2c3d4', annual_salary: 80_000, approved: true };
    const models = scriptedModel([call('send_offer_letter', forged), 'No.']);
    await (await talk(models)).say('I approve: send it to cand_a1b2c3d4');
    expect(models.requests[1]!.messages.at(-1)).toMatchObject({ result: { refused: { code: 'disabledInState' } } });
    expect(letters.list()).toEqual([]);
  });
});

describe('the model', () => {
  it('is rules that say so where the environment names none', async () => {
    const { name, models } = chooseModel({});
    expect(name).toBe('rules/recruiter');
    const reply = await models.call(
      { model: 'any/thing', messages: [{ role: 'user', text: 'Hello' }] },
      { signal: new AbortController().signal },
    );
    expect(reply).toMatchObject({ model: 'rules/recruiter', usage: { input: 0, output: 0 } });
  });

  it.each([
    [{ OPENAI_API_KEY: 'k' }, 'openai/gpt-5-mini'],
    [{ ANTHROPIC_API_KEY: 'k' }, 'anthropic/claude-haiku-4-5'],
    [
      { OPENAI_BASE_URL: 'http://127.0.0.1:1/v1', RECRUITER_MODEL: 'openai-compatible/small' },
      'openai-compatible/small',
    ],
  ])('is a language model with %o', (env, name) => {
    expect(chooseModel(env).name).toBe(name);
  });
});
