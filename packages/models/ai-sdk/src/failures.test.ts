import { APICallError, type LanguageModelV3, type LanguageModelV3StreamPart } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { createModels } from './create-models.ts';
import { masking } from './mask.ts';
import type { ModelNotice } from './notice.ts';
import { CANARY, FLAVOURS, MODEL, modelsAt, servicesAt } from './testing/flavour.ts';
import { ask, LIVE, outcome, served } from './testing/served.ts';
import type { Turn } from './testing/turn.ts';

const HELLO: Turn = { text: 'Hello.' };
const SONNET = 'anthropic/claude-sonnet-4-5';

describe.each(FLAVOURS)('%s', flavour => {
  const request = ask(MODEL[flavour]);

  it.each([429, 500, 502, 503, 504, 529])('answering %i is asked again', async status => {
    const { url, script, received } = await served();
    script({ status }, HELLO);
    expect(await modelsAt(url).call(request, LIVE)).toMatchObject({ text: 'Hello.', attempts: 2 });
    expect(received).toHaveLength(2);
  });

  it.each([400, 401, 403, 413, 418, 501])('answering %i is asked once', async status => {
    const { url, script, received } = await served();
    script({ status }, HELLO);
    const code = status === 501 ? 'ModelUnavailable' : 'ModelRefusedRequest';
    expect(await outcome(modelsAt(url).call(request, LIVE))).toMatchObject({ code, details: { status } });
    expect(received).toHaveLength(1);
  });

  it('that closes the connection is asked again', async () => {
    const { url, script } = await served();
    script({ reset: true }, HELLO);
    expect(await modelsAt(url).call(request, LIVE)).toMatchObject({ text: 'Hello.', attempts: 2 });
  });

  it('that is not there is ModelUnavailable, after four requests', async () => {
    const { url, close } = await served();
    await close();
    const models = modelsAt(url);
    expect(await outcome(models.call(request, LIVE))).toMatchObject({
      code: 'ModelUnavailable',
      message: expect.stringMatching(/cannot be reached, after 4 requests: .*ECONNREFUSED/),
      details: { model: MODEL[flavour], attempts: 4 },
    });
    expect(models.waited).toEqual([4, 8, 16]);
  });

  it('that does not know the model is ModelUnknown', async () => {
    const { url, script } = await served();
    script({ status: 404, message: 'The model does not exist.' });
    expect(await outcome(modelsAt(url).call(request, LIVE))).toMatchObject({
      code: 'ModelUnknown',
      message: `${MODEL[flavour]} is not known to its provider: The model does not exist.`,
    });
  });

  it('that ends its stream too early gave no reply, however orderly the end', async () => {
    const { url, script } = await served();
    script({ text: 'The refund is 19.90 euros.', endAfter: 4 });
    const told: string[] = [];
    const call = modelsAt(url).call(request, { ...LIVE, onText: delta => void told.push(delta) });
    expect(await outcome(call)).toMatchObject({ code: 'ModelReplyInvalid' });
    expect(told.join('')).toBe('The refund is 19.90 euros.'.slice(0, told.join('').length));
  });

  it('that fails in the middle of a stream gave no reply, and says why', async () => {
    const { url, script, received } = await served();
    script({ text: 'The refund is 19.90 euros.', failAfter: 5 }, HELLO);
    const call = modelsAt(url).call(request, { ...LIVE, onText: () => {} });
    expect(await outcome(call)).toMatchObject({
      code: 'ModelReplyInvalid',
      message: expect.stringContaining('the machine is on fire'),
    });
    expect(received).toHaveLength(1);
  });

  it('whose answer is no reply at all gave none', async () => {
    const { url, script } = await served();
    script({ status: 200, body: '<html>Please log in</html>' });
    expect(await outcome(modelsAt(url).call(request, LIVE))).toMatchObject({ code: 'ModelReplyInvalid' });
  });

  it.each(['silent', 'stalling'])('that is %s has its time, and no more', async kind => {
    const { url, script } = await served();
    script(kind === 'silent' ? { silent: true } : { text: 'The refund is', stallAfter: 4 }, HELLO);
    const call = modelsAt(url, { timeout: '200ms' }).call(request, { ...LIVE, onText: () => {} });
    expect(await outcome(call)).toMatchObject({
      code: 'ModelTimeout',
      message: expect.stringContaining('within 200 ms'),
      details: { attempts: 1 },
    });
  });

  it('is not waited for when the time of the caller is over', async () => {
    const { url, script } = await served();
    script({ silent: true });
    const call = modelsAt(url, { fallback: SONNET }).call(request, { signal: AbortSignal.timeout(100) });
    expect(await outcome(call)).toMatchObject({ code: 'ModelTimeout' });
  });

  it('never shows its key, whatever happens', async () => {
    const { url, script, received } = await served();
    const message = `Key ${CANARY} does not work. Bearer ${CANARY}`;
    const turns: Turn[] = [
      HELLO,
      { status: 401, message, headers: { 'x-key': CANARY } },
      { status: 403, body: message },
      { status: 400, message, param: CANARY },
      { status: 404, message },
      { status: 404, message: `${'x'.repeat(990)}${CANARY}` },
      { status: 501, message },
      { status: 200, body: message },
      { status: 307, headers: { location: `/elsewhere?key=${CANARY}` } },
      { text: 'a', cutAfter: 1 },
    ];
    script(...turns);
    for (const turn of turns) {
      const error = await modelsAt(url)
        .call(request, LIVE)
        .catch((each: unknown) => each);
      expect(everythingIn(error), JSON.stringify(turn)).not.toContain(CANARY.slice(0, 9));
    }
    expect(received.every(({ headers }) => JSON.stringify(headers).includes(CANARY))).toBe(true);
  });

  it('does not follow redirects, which would carry the key away', async () => {
    const { url, script, received } = await served();
    const elsewhere = await served();
    elsewhere.script(HELLO);
    script({ status: 307, headers: { location: `${elsewhere.url}/chat/completions` } });
    expect(await outcome(modelsAt(url).call(request, LIVE))).toMatchObject({ code: 'ModelRefusedRequest' });
    expect([received.length, elsewhere.received.length]).toEqual([1, 0]);
  });
});

describe('the wait before another request', () => {
  const request = ask(MODEL.anthropic);

  it.each([
    [{ 'retry-after': '7' }, 7_000],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after-ms': '250', 'retry-after': '7' }, 250],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:09 GMT' }, 9_000],
    [{ 'retry-after': 'Thu, 01 Jan 2020 00:00:00 GMT' }, 0],
  ])('is what the server asks for: %j', async (headers, wait) => {
    const { url, script } = await served();
    script({ status: 429, headers }, HELLO);
    const { clock, waits } = impatientClock();
    await modelsAt(url, { clock }).call(request, LIVE);
    expect(waits).toEqual([wait]);
  });

  it('doubles from `backoff` up to `maxBackoff`, half of it drawn', async () => {
    const { url, script } = await served();
    script(...Array<Turn>(5).fill({ status: 503 }), HELLO);
    const { clock, waits } = impatientClock();
    const retry = { attempts: 6, backoff: '1s', maxBackoff: '5s' };
    await modelsAt(url, { clock, retry, random: () => 0.5 }).call(request, LIVE);
    expect(waits).toEqual([750, 1_500, 3_000, 3_750, 3_750]);
  });

  it('is not made when the server asks for more than `maxBackoff`', async () => {
    const { url, script, received } = await served();
    script({ status: 429, headers: { 'retry-after': '3600' } }, HELLO);
    expect(await outcome(modelsAt(url).call(request, LIVE))).toMatchObject({
      code: 'ModelRateLimited',
      details: { retryAfter: 3_600_000 },
    });
    expect(received).toHaveLength(1);
  });

  it('is not made for an account without money', async () => {
    const { url, script, received } = await served();
    script({ status: 429, code: 'insufficient_quota', type: 'insufficient_quota' }, HELLO);
    expect(await outcome(modelsAt(url).call(ask(MODEL.openai), LIVE))).toMatchObject({ code: 'ModelRateLimited' });
    expect(received).toHaveLength(1);
  });

  it('ends when the call is given up', async () => {
    const { url, script, received } = await served();
    script({ status: 503 }, HELLO);
    const controller = new AbortController();
    const reason = new Error('cancelled');
    const clock = { now: () => 0, at: () => () => {} };
    const observe = (notice: ModelNotice) => notice.kind === 'retry' && controller.abort(reason);
    const call = modelsAt(url, { clock, observe }).call(request, { signal: controller.signal });
    await expect(call).rejects.toBe(reason);
    expect(received).toHaveLength(1);
  });
});

describe('a call whose text is told as it comes', () => {
  it('is not begun anew once some was told, although the fault would pass', async () => {
    let requests = 0;
    const lost = new APICallError({ message: 'socket hang up', url: 'http://here', requestBodyValues: {} });
    const stream = () => {
      requests += 1;
      const parts: LanguageModelV3StreamPart[] = [{ type: 'text-delta', id: 't', delta: 'The refund' }];
      return new ReadableStream<LanguageModelV3StreamPart>({
        pull: controller => {
          const part = parts.shift();
          if (part === undefined) controller.error(lost);
          else controller.enqueue(part);
        },
      });
    };
    const model = { doStream: async () => ({ stream: stream() }) } as unknown as LanguageModelV3;
    const models = createModels({
      providers: { mine: { kind: 'ai-sdk', provider: { languageModel: () => model } } },
      retry: { backoff: '1ms' },
    });
    const told: string[] = [];
    const call = models.call(ask('mine/one'), { ...LIVE, onText: delta => void told.push(delta) });
    expect(await outcome(call)).toMatchObject({ code: 'ModelUnavailable', details: { attempts: 1 } });
    expect([told, requests]).toEqual([['The refund'], 1]);
  });
});

describe('a secret', () => {
  it('is hidden whole where it holds another one', () => {
    const masked = masking(['key', '', 'my-key-of-all']);
    expect(masked('it is my-key-of-all, not the key')).toBe('it is [secret], not the [secret]');
    expect(masking([])('nothing')).toBe('nothing');
  });
});

describe('a fallback', () => {
  const request = ask(MODEL.openai);

  it('is asked when the retries of the first are over, and says that it answered', async () => {
    const { url, script, received } = await served();
    script(...Array<Turn>(4).fill({ status: 503 }), { text: 'Hello from here.' });
    const notices: ModelNotice[] = [];
    const observe = (notice: ModelNotice) => void notices.push(notice);
    const reply = await modelsAt(url, { fallback: SONNET, observe }).call(request, LIVE);
    expect(reply).toMatchObject({ text: 'Hello from here.', model: 'claude-sonnet-4-5', attempts: 5 });
    expect(received.at(-1)!.path).toBe('/v1/messages');
    expect(notices.map(({ kind }) => kind)).toEqual(['retry', 'retry', 'retry', 'fallback']);
    expect(notices.at(-1)).toEqual({ kind: 'fallback', model: MODEL.openai, to: SONNET, code: 'ModelUnavailable' });
  });

  it('gets an idempotency key of its own: it is another request', async () => {
    const { url, script, received } = await served();
    script(...Array<Turn>(4).fill({ status: 503 }), HELLO);
    await modelsAt(url, { fallback: SONNET }).call(request, { ...LIVE, idempotencyKey: 'op_7' });
    const keys = received.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual(['op_7', 'op_7', 'op_7', 'op_7', 'op_7-1']);
  });

  it('stands in for one that is too slow', async () => {
    const { url, script } = await served();
    script({ silent: true }, { text: 'Here.' });
    const models = modelsAt(url, { fallback: { [MODEL.openai]: [SONNET] }, timeout: '200ms' });
    expect(await models.call(request, LIVE)).toMatchObject({ text: 'Here.', attempts: 2 });
  });

  it.each([400, 401, 404])('is not asked after %i, which is a fault of the request', async status => {
    const { url, script, received } = await served();
    script({ status }, HELLO);
    await expect(modelsAt(url, { fallback: SONNET }).call(request, LIVE)).rejects.toThrow();
    expect(received).toHaveLength(1);
  });

  it('is not asked for another model than it is named for', async () => {
    const { url, script, received } = await served();
    script(...Array<Turn>(4).fill({ status: 503 }), HELLO);
    const models = modelsAt(url, { fallback: { 'openai/gpt-5': SONNET } });
    expect(await outcome(models.call(request, LIVE))).toMatchObject({ code: 'ModelUnavailable' });
    expect(received).toHaveLength(4);
  });

  it('is not asked once partial text was told', async () => {
    const { url, script, received } = await served();
    script({ text: 'The refund is', stallAfter: 4 }, HELLO);
    const models = modelsAt(url, { fallback: SONNET, timeout: '200ms' });
    const told: string[] = [];
    const call = models.call(request, { ...LIVE, onText: delta => void told.push(delta) });
    expect(await outcome(call)).toMatchObject({ code: 'ModelTimeout' });
    expect([told.length > 0, received.length]).toEqual([true, 1]);
  });

  it('that fails as well is told of in the error of the first', async () => {
    const { url, script } = await served();
    script(...Array<Turn>(4).fill({ status: 503, message: 'Too busy.' }));
    const models = createModels({ ...withoutWaits(url), fallback: 'mistral/large' });
    expect(await outcome(models.call(request, LIVE))).toMatchObject({
      code: 'ModelUnavailable',
      message: expect.stringMatching(/Too busy\. .*"mistral\/large" names a provider that there is not/),
      details: { attempts: 4, fallbacks: [{ code: 'ModelUnknown' }] },
    });
  });
});

function withoutWaits(url: string) {
  const secrets = () => CANARY;
  return { providers: servicesAt(url), secrets, retry: { backoff: '1ms' } };
}

/** Time that passes at once where somebody waits for it, unless it is the time limit of a request. */
function impatientClock() {
  const waits: number[] = [];
  const now = Date.UTC(2026, 0, 1);
  const limit = 120_000;
  return {
    waits,
    clock: {
      now: () => now,
      at(at: number, fn: () => void) {
        if (at - now === limit) return () => {};
        waits.push(at - now);
        setImmediate(fn);
        return () => {};
      },
    },
  };
}

function everythingIn(error: unknown): string {
  const parts: unknown[] = [];
  for (let each = error; each instanceof Error; each = each.cause)
    parts.push(each.message, each.stack, { ...each }, Object.getOwnPropertyNames(each));
  return JSON.stringify([error, ...parts]);
}
