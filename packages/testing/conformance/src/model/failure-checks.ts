import assert from 'node:assert/strict';
import { isSignalboxError } from '@signalbox/kernel';
import type { ModelErrorCode, ModelReply } from '@signalbox/ports';
import { within } from '../check.ts';
import { check, type ModelCheck, type ModelTurn } from './model-check.ts';

const OVERLOADED: ModelTurn = { kind: 'overloaded' };
const RATE_LIMITED: ModelTurn = { kind: 'rateLimited' };
/** More than any implementation will try. */
const MANY = 50;
const SOON = 5_000;

export const failureChecks: readonly ModelCheck[] = [
  check('a passing failure is tried again inside the call, and counted', async ({ script, call, sent }) => {
    script(RATE_LIMITED, OVERLOADED, { kind: 'reply', text: 'Now.' });
    const { text, attempts } = await call();
    assert.deepEqual({ text, attempts, sent: sent().length }, { text: 'Now.', attempts: 3, sent: 3 });
  }),
  check('attempts tell how many requests were made, also where somebody listens', async ({ script, told, sent }) => {
    script(OVERLOADED, { kind: 'reply', text: 'Now.' });
    const { reply, deltas } = await told();
    assert.deepEqual({ attempts: reply.attempts, sent: sent().length }, { attempts: 2, sent: 2 });
    assert.equal(deltas.join(''), 'Now.');
  }),
  check('a service that stays overloaded is ModelUnavailable', async ({ script, call }) => {
    script(...Array<ModelTurn>(MANY).fill(OVERLOADED));
    await assertFails(call(), 'ModelUnavailable');
  }),
  check('a service that takes no more requests is ModelRateLimited', async ({ script, call }) => {
    script(...Array<ModelTurn>(MANY).fill(RATE_LIMITED));
    await assertFails(call(), 'ModelRateLimited');
  }),
  check(
    'a request that is refused is ModelRefusedRequest, and not repeated as it is',
    async ({ script, call, sent }) => {
      script({ kind: 'refusal' }, { kind: 'refusal' });
      await assertFails(call(), 'ModelRefusedRequest');
      assert.equal(new Set(sent()).size, sent().length);
    },
  ),
  check('half a reply is none', async ({ script, call }) => {
    script(...Array<ModelTurn>(MANY).fill({ kind: 'cut', text: 'The refund is 19.90 euros.' }));
    await assertFails(call(), 'ModelReplyInvalid');
  }),
  check('half a reply is none where somebody listens, and is not begun anew', async ({ script, told, sent }) => {
    script({ kind: 'cut', text: 'The refund is 19.90 euros.' }, { kind: 'reply', text: 'The refund is 5 euros.' });
    await assertFails(told(), 'ModelReplyInvalid');
    assert.equal(sent().length, 1);
  }),
  check('a call that is given up ends with the reason that was given', async ({ script, model, name, sent }) => {
    script({ kind: 'silence' });
    const controller = new AbortController();
    const options = { signal: controller.signal };
    const call = model.call({ model: name, messages: [{ role: 'user', text: 'Hello' }] }, options);
    const reason = new Error('the run was cancelled');
    await within(
      SOON,
      until(() => sent().length === 1),
    );
    controller.abort(reason);
    await assert.rejects(within(SOON, call), error => error === reason);
  }),
  check('a call that was given up before makes no request', async ({ script, model, name, sent }) => {
    script({ kind: 'reply', text: 'Hello.' });
    const reason = new Error('the run was cancelled');
    const call = model.call(
      { model: name, messages: [{ role: 'user', text: 'Hello' }] },
      { signal: AbortSignal.abort(reason) },
    );
    await assert.rejects(call, error => error === reason);
    assert.deepEqual(sent(), []);
  }),
];

async function assertFails(call: Promise<ModelReply | { reply: ModelReply }>, code: ModelErrorCode): Promise<void> {
  const outcome = await call.catch((error: unknown) => error);
  assert.ok(isSignalboxError(outcome), `expected ${code}, got ${JSON.stringify(outcome)}`);
  assert.equal(outcome.code, code);
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(resolve => setTimeout(resolve, 2));
}
