import { SignalboxError } from '@signalbox/kernel';
import type { ModelErrorCode, ModelReply } from '@signalbox/ports';
import { describe, expect, it } from 'vitest';
import { describeChecks } from '../describe.ts';
import type { ModelFactory, ModelFixture, ModelTurn } from './model-check.ts';
import { modelChecks } from './model-checks.ts';

/** What a defective model does differently. */
interface Defects {
  readonly rereads?: boolean;
  readonly repairs?: boolean;
  readonly uncounted?: boolean;
  readonly halves?: boolean;
  readonly beginsAnew?: boolean;
  readonly stubborn?: boolean;
  readonly sendsAnyway?: boolean;
  readonly ownReason?: boolean;
  readonly swallowsRefusals?: boolean;
  readonly fillsEmpty?: boolean;
  readonly dropsSystem?: boolean;
  readonly repeatsRefused?: boolean;
  readonly tellsTwice?: boolean;
  readonly onlyFirstCall?: boolean;
  readonly cachedBeside?: boolean;
}

const ATTEMPTS = 4;

/** The simplest model: it does what the script says, without any service. */
function simpleModel(defects: Defects = {}): ModelFactory {
  return (): ModelFixture => {
    const turns: ModelTurn[] = [];
    const sent: string[] = [];

    async function next(text: string, signal: AbortSignal): Promise<ModelTurn> {
      sent.push(text);
      const turn = turns.shift();
      if (turn?.kind !== 'silence') return turn ?? { kind: 'refusal' };
      return await new Promise((_, reject) => {
        if (defects.stubborn) return;
        const reason = () => (defects.ownReason ? fails('ModelTimeout') : signal.reason);
        signal.addEventListener('abort', () => reject(reason()));
      });
    }

    return {
      name: 'simple/one',
      script: (...more) => void turns.push(...more),
      sent: () => sent,
      model: {
        async call(request, { signal, onText }) {
          if (!defects.sendsAnyway) signal.throwIfAborted();
          const { system: _, ...withoutSystem } = request;
          const text = JSON.stringify(defects.dropsSystem ? withoutSystem : request);
          for (let attempts = 1; ; attempts += 1) {
            const turn = await next(text, signal);
            signal.throwIfAborted();
            switch (turn.kind) {
              case 'reply':
                if (turn.text) for (const half of halves(turn.text)) onText?.(half);
                if (turn.text && defects.tellsTwice) onText?.(turn.text);
                return replyOf(turn, defects.uncounted ? 1 : attempts, defects);
              case 'rateLimited':
              case 'overloaded':
                if (attempts === ATTEMPTS)
                  throw fails(turn.kind === 'overloaded' ? 'ModelUnavailable' : 'ModelRateLimited');
                break;
              case 'refusal':
                if (!defects.repeatsRefused || attempts === 2) throw fails('ModelRefusedRequest');
                break;
              case 'cut':
                onText?.(turn.text.slice(0, 4));
                if (defects.halves) return replyOf({ kind: 'reply', text: turn.text.slice(0, 4) }, attempts, defects);
                if (!defects.beginsAnew || onText === undefined) throw fails('ModelReplyInvalid');
            }
          }
        },
      },
    };
  };
}

function halves(text: string): string[] {
  return [text.slice(0, text.length / 2), text.slice(text.length / 2)].filter(half => half !== '');
}

function fails(code: ModelErrorCode): SignalboxError {
  return new SignalboxError(code, 'The script says so.');
}

function replyOf(turn: Extract<ModelTurn, { kind: 'reply' }>, attempts: number, defects: Defects): ModelReply {
  const { text = '', calls = [], usage = { input: 1, output: 1 } } = turn;
  const read = calls.map(call => ({ ...call, arguments: readArguments(call.arguments, defects) }));
  const kept = defects.onlyFirstCall ? read.slice(0, 1) : read;
  return {
    text: text === '' && kept.length === 0 && defects.fillsEmpty ? '(no answer)' : text,
    calls: kept,
    finish: finishOf(turn, kept, defects),
    usage: defects.cachedBeside ? { ...usage, input: usage.input - (usage.cached ?? 0) } : usage,
    model: 'one',
    attempts,
  };
}

function finishOf({ finish }: { finish?: 'length' | 'refused' }, calls: readonly unknown[], defects: Defects) {
  if (finish === 'refused' && defects.swallowsRefusals) return 'stop';
  return finish ?? (calls.length > 0 ? 'tools' : 'stop');
}

function readArguments(text: string, { rereads, repairs }: Defects): string {
  const json = isJson(text);
  if (rereads && json) return JSON.stringify(JSON.parse(text));
  return repairs && !json ? '{}' : text;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describeChecks({ describe, it }, 'a simple model', modelChecks(simpleModel()));

const BROKEN: readonly (readonly [name: string, defects: Defects, seenBy: string])[] = [
  [
    'reads arguments and writes them again',
    { rereads: true },
    'arguments are handed on as the text that came: {"a":1.10}',
  ],
  ['repairs arguments', { repairs: true }, 'arguments that are no JSON are handed on as well'],
  ['does not count', { uncounted: true }, 'a passing failure is tried again inside the call, and counted'],
  ['takes half a reply for one', { halves: true }, 'half a reply is none'],
  [
    'begins anew what was told in part',
    { beginsAnew: true },
    'half a reply is none where somebody listens, and is not begun anew',
  ],
  ['cannot be given up', { stubborn: true }, 'a call that is given up ends with the reason that was given'],
  ['has reasons of its own', { ownReason: true }, 'a call that is given up ends with the reason that was given'],
  ['sends what was given up', { sendsAnyway: true }, 'a call that was given up before makes no request'],
  ['hides refusals', { swallowsRefusals: true }, 'a refusal is told as one'],
  ['fills empty replies', { fillsEmpty: true }, 'an empty reply is told as it is'],
  ['drops the system prompt', { dropsSystem: true }, 'what is said and asked reaches the service'],
  [
    'repeats what was refused',
    { repeatsRefused: true },
    'a request that is refused is ModelRefusedRequest, and not repeated as it is',
  ],
  ['tells a text twice', { tellsTwice: true }, 'partial texts are the text of the reply, in order'],
  [
    'keeps the first call only',
    { onlyFirstCall: true },
    'calls come in the order of the reply, with their ids and texts',
  ],
  ['counts cached tokens beside the input', { cachedBeside: true }, 'tokens from a cache are part of the input'],
];

describe('the suite rejects a model that', () => {
  it.each(BROKEN)('%s', async (_name, defects, seenBy) => {
    const check = modelChecks(simpleModel(defects)).find(({ name }) => name === seenBy);
    expect(check).toBeDefined();
    await expect(check?.run()).rejects.toThrow();
  });
});
