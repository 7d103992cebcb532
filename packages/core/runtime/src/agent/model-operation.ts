import {
  type Amounts,
  type Bound,
  type ErrorData,
  type JsonObject,
  type JsonValue,
  SignalboxError,
  TELLS_CALLS_OF_ATTEMPTS_APART,
} from '@signalbox/kernel';
import type { ModelErrorCode, ModelPort, ModelReply, ModelRequest } from '@signalbox/ports';
import type { EffectTools } from '../journal/effect-tools.ts';
import type { TaskExecution } from '../journal/execution.ts';
import type { Performer } from '../journal/performer.ts';
import { sha256 } from '../log/commit-codec.ts';
import { DeltaMask } from '../sensitive/delta-mask.ts';
import { AGENT_DEFAULTS } from './agent-spec.ts';
import { countRequest } from './count-tokens.ts';
import { recordableReply } from './recordable-reply.ts';
import type { RequestRecords } from './request-record.ts';
import type { LeftOut } from './state-summary.ts';

export interface ModelDeps {
  readonly models: ModelPort | undefined;
  /** Bounds beside those of graph and node, read anew for each call. */
  readonly bounds: () => Promise<readonly Bound[]>;
  /** Partial text, for whoever looks on, with what is sensitive masked; it is no fact. */
  readonly onText?: (delta: string) => void;
  /** The text is shown when the reply is there: only then it can be told what of it is sensitive. */
  readonly isHeld?: boolean;
  /** Before it is recorded. */
  readonly onReply?: (reply: ModelReply) => void;
  readonly spare?: Performer | undefined;
  readonly records: RequestRecords;
  /** What the model was to be told, and is not. */
  readonly leftOut?: readonly LeftOut[];
}

/** Models think longer than other operations take. */
const MODEL_TIMEOUT = '5m';

/** The operation is named after this. */
export const MODEL_OP = 'model';

/**
 * One call of a model, journaled (design 4.5, 4.6).
 *  1. A recorded call is never made again; one that was under way at a crash is repeated, and counts as possibly spent.
 *  2. It reserves what it may come to: the request as a tokenizer counts it, and the longest reply it asks for.
 *     That counts as spent where nobody can tell what it came to.
 *  3. The request is part of its journal key: code or prompts that changed are a mismatch, not another call.
 */
export async function callModel(execution: TaskExecution, request: ModelRequest, deps: ModelDeps): Promise<ModelReply> {
  const bounded: ModelRequest = { maxOutputTokens: AGENT_DEFAULTS.maxOutputTokens, ...request };
  // A further attempt may have something else to say at the same place, which is another call.
  const keyOf = (derived: string) => {
    const { semantics } = execution.current();
    return semantics < TELLS_CALLS_OF_ATTEMPTS_APART ? derived : sha256(`${derived}/${execution.digestOf(op)}`);
  };
  const perform = async ({ signal, idempotencyKey }: EffectTools) => {
    const { models, onText, onReply, spare } = deps;
    if (spare !== undefined) return await spare.perform(MODEL_OP, idempotencyKey);
    if (models === undefined) throw noModels(request.model);
    const mask = new DeltaMask(() => execution.secrets);
    const tell = (shown: string) => (shown === '' ? undefined : onText?.(shown));
    let held = '';
    const hear = (delta: string) => {
      if (deps.isHeld === true) held += delta;
      else tell(mask.next(delta));
    };
    const partial = onText === undefined ? {} : { onText: hear };
    const reply = await models.call(bounded, { signal, idempotencyKey: keyOf(idempotencyKey), ...partial });
    onReply?.(reply);
    tell(mask.next(held));
    tell(mask.end());
    return recordableReply(reply);
  };
  deps.spare?.asked(MODEL_OP);
  const reserve = reservation(bounded, deps.models);
  const performed = execution.perform(MODEL_OP, perform, {
    kind: 'model',
    class: 'repeat',
    args: bounded,
    request: deps.records.of(bounded, deps.leftOut),
    timeout: MODEL_TIMEOUT,
    reserve,
    bounds: deps.bounds,
    spent: result =>
      'error' in result ? spentByFailure(result.error) : spentBy(result.value, reserve, request.model, deps.models),
  });
  const op = execution.lastNamed(MODEL_OP);
  const reply = await performed;
  deps.records.made(bounded, deps.leftOut);
  return reply as unknown as ModelReply;
}

function reservation(request: ModelRequest, models: ModelPort | undefined): Amounts {
  const { maxOutputTokens = 0 } = request;
  const input = countRequest(request);
  const money = models?.costOf?.({ input, output: maxOutputTokens }, request.model);
  return { modelCalls: 1, tokens: input + maxOutputTokens, ...(money === undefined ? {} : { money }) };
}

/** Where the service told no usage, what was reserved: counting nothing would leave a budget without a bound. */
function spentBy(value: JsonValue, reserved: Amounts, model: string, models: ModelPort | undefined): Amounts {
  const reply = value as unknown as ModelReply;
  if (reply.usage.unknown === true) return reserved;
  const money = models?.costOf?.(reply.usage, reply.model) ?? models?.costOf?.(reply.usage, model);
  const tokens = reply.usage.input + reply.usage.output;
  return { modelCalls: 1, tokens, ...(money === undefined ? {} : { money }) };
}

/** What was turned away, or never reached a model, costs nothing. */
const FREE: ReadonlySet<string> = new Set<ModelErrorCode | 'NoModels'>([
  'ModelRateLimited',
  'ModelRefusedRequest',
  'ModelUnavailable',
  'ModelUnknown',
  'NoModels',
]);

/** Undefined where a model may have replied: nobody can tell what that came to. */
function spentByFailure({ code }: ErrorData): Amounts | undefined {
  return FREE.has(code) ? { modelCalls: 1 } : undefined;
}

function noModels(model: string): SignalboxError {
  return new SignalboxError('NoModels', `The agent asks for the model "${model}", but this box has no models.`, {
    hint: 'Give `models` to createSignalbox or in the configuration: createModels() of @signalbox/models-ai-sdk reads OPENAI_API_KEY, ANTHROPIC_API_KEY and OPENAI_BASE_URL.',
    details: { model } as JsonObject,
  });
}
