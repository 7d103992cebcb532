import { scriptedModel, testbox } from 'signalbox/testing';
import { describe, expect, it } from 'vitest';
import { createReview, LANGUAGES } from './review.ts';
import { chooseReviewers, scriptedReviewers } from './reviewers.ts';

const graph = createReview('scripted/reviewer');
const CHANGE = 'a change';

describe.each(LANGUAGES)('the review in %s', language => {
  it('is stopped where the reviewers circle, and would go on for ever', async () => {
    const box = testbox({ graphs: [graph], models: scriptedReviewers() });
    const run = await box.start(graph, { change: CHANGE, language });
    expect(await run.settled()).toMatchObject({
      status: 'completed',
      output: { code: 'repeated', evidence: [1, 5, 9], turns: { length: 9 } },
    });
  });

  it('is stopped where they only agree behind what a person said', async () => {
    const box = testbox({ graphs: [graph], models: scriptedReviewers() });
    const run = await box.start(graph, { change: CHANGE, language, ask: 2 });
    const asked = await run.settled();
    await box.answer(asked.requests[0]!.id, { values: { say: '保留 cause. Keep the cause.' }, as: 'user:finn' });
    expect(await run.settled()).toMatchObject({
      output: { code: 'agreementLoop', evidence: [4, 5, 6], turns: { 2: { speaker: 'person' } } },
    });
  });
});

describe('a review', () => {
  it('ends when both approve, and whatever is no review is mended before the other hears it', async () => {
    const models = scriptedModel([
      'LGTM!',
      '{"comment":"Fine.","verdict":"approve"}',
      '{"comment":"A cause is lost.","verdict":"change"}',
      '{"comment":"It is logged.","verdict":"approve"}',
      '{"comment":"So be it.","verdict":"approve"}',
    ]);
    const box = testbox({ graphs: [graph], models });
    const run = await box.start(graph, { change: CHANGE });
    expect(await run.settled()).toMatchObject({ output: { code: 'until', turns: { length: 4 } } });
    expect(models.requests.slice(2).map(request => JSON.stringify(request.messages))).not.toContainEqual(
      expect.stringContaining('LGTM'),
    );
  });
});

describe('the reviewers', () => {
  it('are scripted without a key, and real ones with it or by name', () => {
    expect(chooseReviewers({ OPENAI_API_KEY: '' })).toMatchObject({ isScripted: true, model: 'scripted/reviewer' });
    expect(chooseReviewers({ ANTHROPIC_API_KEY: 'k' })).toMatchObject({
      isScripted: false,
      model: expect.stringMatching(/^anthropic/),
    });
    expect(chooseReviewers({ REVIEW_MODEL: 'openai-compatible/qwen3' }).model).toBe('openai-compatible/qwen3');
  });
});
