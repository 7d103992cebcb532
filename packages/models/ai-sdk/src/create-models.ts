import {
  ANYTHING,
  checkOptions,
  FUNCTION,
  isSignalboxError,
  type JsonObject,
  listOf,
  type Money,
  OBJECT,
  type OptionKinds,
  parseDuration,
  SignalboxError,
  TEXT,
  withMethods,
} from '@signalbox/kernel';
import type {
  Clock,
  ModelCallOptions,
  ModelPort,
  ModelReply,
  ModelRequest,
  ModelUsage,
  SecretSource,
} from '@signalbox/ports';
import type { Adaptation } from './adaptation.ts';
import { type CallSettings, callModel, type Progress } from './call-model.ts';
import { connect } from './connect.ts';
import { DEFAULT_PRICES } from './default-prices.ts';
import type { Services } from './model-service.ts';
import type { ModelNotice } from './notice.ts';
import { costOf, type Prices, priceFault } from './prices.ts';
import { type Retrying, waits } from './retrying.ts';
import { SYSTEM_CLOCK } from './system-clock.ts';

export interface ModelsOptions {
  /**
   * What the names before the `/` stand for. Without it: `openai` and `anthropic` with the keys `OPENAI_API_KEY` and
   * `ANTHROPIC_API_KEY`, and `openai-compatible` at `OPENAI_BASE_URL`.
   */
  readonly providers?: Services;
  /** Replaces the table of list prices that comes with the package. */
  readonly prices?: Prices;
  /** Models to turn to, in order, when one is unavailable, rate-limited or too slow: for all, or by model. */
  readonly fallback?: Fallback;
  /** Where secrets are; default the environment. */
  readonly secrets?: SecretSource;
  /** For one request with its reply, a duration; default 2m. */
  readonly timeout?: string;
  readonly retry?: Retrying;
  /** Is told what a call does beside its caller: retries, adaptations, fallbacks. */
  readonly observe?: (notice: ModelNotice) => void;
  readonly clock?: Pick<Clock, 'now' | 'at'>;
  /** 0 to 1, for the part of a wait that is drawn. */
  readonly random?: () => number;
}

const MODELS = listOf('models', TEXT.fits);

const OPTIONS: OptionKinds<ModelsOptions> = {
  providers: OBJECT,
  prices: ANYTHING,
  fallback: {
    what: 'a model, a list of models, or an object from model to models',
    fits: value =>
      TEXT.fits(value) ||
      MODELS.fits(value) ||
      (OBJECT.fits(value) && Object.values(value as object).every(each => TEXT.fits(each) || MODELS.fits(each))),
  },
  secrets: FUNCTION,
  timeout: { ...TEXT, hint: 'A duration, such as `2m`.' },
  retry: OBJECT,
  observe: FUNCTION,
  clock: withMethods('a clock', ['now', 'at']),
  random: FUNCTION,
};

export type Fallback = string | readonly string[] | Readonly<Record<string, string | readonly string[]>>;

export interface Models extends ModelPort {
  costOf(usage: ModelUsage, model: string): Money | undefined;
}

const TURN_AWAY = new Set(['ModelUnavailable', 'ModelRateLimited', 'ModelTimeout']);

/**
 * Models of OpenAI, Anthropic and whatever speaks like OpenAI.
 *
 * @throws SignalboxError `InvalidOptions`, `InvalidPrices`, `InvalidDuration`
 */
export function createModels(options: ModelsOptions = {}): Models {
  checkOptions('createModels', options, OPTIONS);
  const {
    providers = {},
    prices = DEFAULT_PRICES,
    fallback = [],
    secrets = name => process.env[name],
    timeout = '2m',
    retry = {},
    observe = () => {},
    clock = SYSTEM_CLOCK,
    random = Math.random,
  } = options;
  const fault = priceFault(prices);
  if (fault !== undefined) throw invalidPrices(fault);
  const settings: CallSettings = {
    waits: waits(retry, random),
    timeout: parseDuration(timeout),
    clock,
    observe,
    learned: new Map<string, Adaptation>(),
  };

  async function callOne(request: ModelRequest, callOptions: ModelCallOptions, progress: Progress) {
    const connection = await connect(request.model, providers, secrets);
    return await callModel(connection, request, callOptions, progress, settings);
  }

  return {
    async call(request, callOptions) {
      const progress: Progress = { attempts: 0, variants: 0, told: false };
      const names = [...new Set([request.model, ...fallbacksOf(request.model, fallback)])];
      const errors: SignalboxError[] = [];
      for (const [index, model] of names.entries()) {
        const result = await settle(callOne({ ...request, model }, callOptions, progress), callOptions.signal, model);
        if (!isSignalboxError(result)) return result;
        errors.push(result);
        const next = names[index + 1];
        if (next === undefined || !TURN_AWAY.has(result.code) || progress.told) break;
        progress.variants += 1;
        observe({ kind: 'fallback', model, to: next, code: result.code });
      }
      throw joined(errors, progress);
    },
    costOf: (usage, model) => costOf(usage, model, prices),
  };
}

/** What is no failure of a model is thrown as it is: a fault of the program, or what the caller's signal says. */
async function settle(
  call: Promise<ModelReply>,
  signal: AbortSignal,
  model: string,
): Promise<ModelReply | SignalboxError> {
  try {
    return await call;
  } catch (error) {
    if (signal.aborted) throw isTimeout(signal.reason) ? outOfTime(model) : signal.reason;
    if (isSignalboxError(error)) return error;
    throw error;
  }
}

function fallbacksOf(model: string, fallback: Fallback): readonly string[] {
  if (typeof fallback === 'string' || isList(fallback)) return [fallback].flat();
  return Object.hasOwn(fallback, model) ? [fallback[model]!].flat() : [];
}

function isList(fallback: Fallback): fallback is readonly string[] {
  return Array.isArray(fallback);
}

/** The model that was asked for names the error; what became of its fallbacks stands behind. */
function joined(errors: readonly SignalboxError[], { attempts }: Progress): SignalboxError {
  const [first, ...others] = errors as [SignalboxError, ...SignalboxError[]];
  if (others.length === 0) return first;
  const fallbacks = others.map(({ code, message }): JsonObject => ({ code, message }));
  return new SignalboxError(first.code, errors.map(({ message }) => message).join(' '), {
    ...(first.hint === undefined ? {} : { hint: first.hint }),
    details: { ...first.details, attempts, fallbacks },
  });
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof DOMException && reason.name === 'TimeoutError';
}

function outOfTime(model: string): SignalboxError {
  return new SignalboxError('ModelTimeout', `${model} did not reply in time: the caller's time is over.`, {
    hint: 'Give it more time, or ask for a shorter reply.',
    details: { model },
  });
}

function invalidPrices(reason: string): SignalboxError {
  return new SignalboxError('InvalidPrices', `The price table cannot be used: ${reason}.`, {
    hint: 'Write amounts per million tokens as decimal texts, as in { input: "0.25", output: "2" }.',
    details: { reason },
  });
}
