import { digestOf, type JsonObject } from '@signalbox/kernel';
import type { Clock, ModelCallOptions, ModelReply, ModelRequest } from '@signalbox/ports';
import { type Adaptation, adapt, adaptationAfter, offendingPart, UNCHANGED } from './adaptation.ts';
import { callOptions } from './call-options.ts';
import type { Connection } from './connection.ts';
import { type Failure, failureOf, modelError, seenFailure } from './failure.ts';
import { masking } from './mask.ts';
import type { ModelNotice } from './notice.ts';
import { type Received, readGenerated, readStream } from './read-reply.ts';
import { sleep, type Waits } from './retrying.ts';
import { ToolNames } from './tool-names.ts';
import { unfenced } from './unfenced.ts';

/** What has happened in a call so far, whichever models it was put to. */
export interface Progress {
  attempts: number;
  /** Different requests so far, for idempotency keys: a key belongs to one of them. */
  variants: number;
  /** Partial text went out: from here on nothing is begun anew, or it would be told twice. */
  told: boolean;
}

export interface CallSettings {
  readonly waits: Waits;
  /** ms for one request, its reply included. */
  readonly timeout: number;
  readonly clock: Pick<Clock, 'now' | 'at'>;
  readonly observe: (notice: ModelNotice) => void;
  /** What providers took after they had refused a request, by model and schemas; so that it is not learnt in every turn. */
  readonly learned: Map<string, Adaptation>;
}

/** @throws SignalboxError by `ModelErrorCode`; the reason of the signal. */
export async function callModel(
  connection: Connection,
  asked: ModelRequest,
  options: ModelCallOptions,
  progress: Progress,
  settings: CallSettings,
): Promise<ModelReply> {
  const names = new ToolNames(asked);
  const request = names.sent(asked);
  const { name, kind, takesSchema } = connection;
  const { learned, waits, clock, observe } = settings;
  const masked = masking(connection.secrets);
  const schemas = schemasOf(name, request);
  let adaptation = learned.get(schemas) ?? UNCHANGED;
  let adapted = false;
  for (let made = 1; ; made += 1) {
    const sent = adapt(request, adaptation, kind);
    const instructed = adaptation.output || !takesSchema;
    const received = await send(connection, sent, instructed, options, progress, settings);
    if (received.ok) {
      if (adapted) learned.set(schemas, adaptation);
      for (const what of received.ignored) observe({ kind: 'ignored', model: name, what });
      return { ...names.received(received.reply), attempts: progress.attempts };
    }
    const failure = seenFailure(received.failure, masked);
    const next = adapted ? undefined : adaptationAfter(failure, sent, connection, adaptation);
    const wait = progress.told ? undefined : waits(made, failure);
    if (next !== undefined) {
      adaptation = next;
      adapted = true;
      progress.variants += 1;
      observe({ kind: 'adapted', model: name, reason: failure.reason, ...next });
    } else if (wait === undefined) {
      const offending = failure.code === 'ModelRefusedRequest' ? offendingPart(failure, sent, names) : undefined;
      throw modelError(failure, { model: name, attempts: progress.attempts, ...(offending && { offending }) });
    } else {
      observe({ kind: 'retry', model: name, code: failure.code, reason: failure.reason, wait });
      await sleep(wait, clock, options.signal);
    }
  }
}

function schemasOf(name: string, { tools = [], output = {} }: ModelRequest): string {
  const inputs: JsonObject[] = tools.map(({ input }) => input);
  return `${name} ${digestOf({ inputs, output })}`;
}

async function send(
  connection: Connection,
  request: ModelRequest,
  instructed: boolean,
  options: ModelCallOptions,
  progress: Progress,
  { timeout, clock }: CallSettings,
): Promise<Received> {
  options.signal.throwIfAborted();
  progress.attempts += 1;
  const late = new AbortController();
  const cancel = clock.at(clock.now() + timeout, () => late.abort());
  const abortSignal = AbortSignal.any([options.signal, late.signal]);
  const headers = idempotencyHeader(options, progress);
  try {
    const sdkOptions = { ...callOptions(request, connection, instructed), abortSignal, headers };
    const received = await receive(connection, sdkOptions, options, progress);
    if (!received.ok || request.output === undefined || !instructed) return received;
    return { ...received, reply: { ...received.reply, text: unfenced(received.reply.text) } };
  } catch (error) {
    options.signal.throwIfAborted();
    if (late.signal.aborted) return { ok: false, failure: tooLate(timeout) };
    const failure = failureOf(error, clock.now());
    if (failure === undefined) throw error;
    return { ok: false, failure };
  } finally {
    cancel();
  }
}

/**
 * Anthropic's replies are read as a stream always: only there do arguments come as text; in a whole reply they are JSON that
 * the package reads, and a number that a double cannot hold would be another one.
 */
async function receive(
  { model, kind, name }: Connection,
  sdkOptions: Parameters<Connection['model']['doStream']>[0],
  { onText }: ModelCallOptions,
  progress: Progress,
): Promise<Received> {
  const id = name.slice(name.indexOf('/') + 1);
  if (onText === undefined && kind !== 'anthropic') return readGenerated(await model.doGenerate(sdkOptions), id);
  const { stream } = await model.doStream(sdkOptions);
  return await readStream(stream, id, delta => {
    if (onText === undefined) return;
    progress.told = true;
    onText(delta);
  });
}

function idempotencyHeader({ idempotencyKey }: ModelCallOptions, { variants }: Progress): Record<string, string> {
  if (idempotencyKey === undefined) return {};
  return { 'idempotency-key': variants === 0 ? idempotencyKey : `${idempotencyKey}-${variants}` };
}

function tooLate(timeout: number): Failure {
  return { code: 'ModelTimeout', reason: `nothing whole came within ${timeout} ms`, passing: false };
}
