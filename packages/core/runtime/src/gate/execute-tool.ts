import type { GateFacts } from '@signalbox/kernel';
import {
  type CompiledContract,
  checkResult,
  type JsonObject,
  type JsonValue,
  parseDuration,
  type RetryPolicy,
  SignalboxError,
} from '@signalbox/kernel';
import type { Clock, Tool, ToolContext } from '@signalbox/ports';
import { errorDataOf } from '../journal/error-data.ts';
import { isPermanent, PERMANENT } from '../journal/handler.ts';

export interface ToolExecution {
  readonly contract: CompiledContract;
  readonly name: string;
  readonly tool: Tool;
  readonly args: JsonObject;
  readonly facts: GateFacts;
  readonly clock: Clock;
  /** Told of each try that is not the first. */
  readonly attempted?: (attempt: number) => void;
}

/**
 * Calls a tool and checks what it gives: only a result that fits the contract's output schema leaves here. Tries again by
 * the contract's policy, each time with the same idempotency key; how often stands in the record of what it gave, or in the error of the last.
 */
export async function executeTool(execution: ToolExecution, context: ToolContext): Promise<JsonValue> {
  const { contract, name, clock } = execution;
  const { retry } = contract.tools.get(name)!.definition;
  const most = retry?.attempts ?? 1;
  for (let attempt = 1; ; attempt += 1) {
    if (attempt > 1) execution.attempted?.(attempt);
    try {
      return await attemptOnce(execution, context);
    } catch (error) {
      if (attempt >= most || context.signal.aborted || !mayRetry(error, retry)) throw withAttempts(error, attempt);
      await pause(clock, backoff(retry!, attempt), context.signal);
    }
  }
}

async function attemptOnce(
  { contract, name, tool, args, facts }: ToolExecution,
  context: ToolContext,
): Promise<JsonValue> {
  const output = (await tool.execute(args, context)) ?? null;
  const checked = checkResult(contract, { tool: name, args, output: output as JsonValue }, facts);
  if (checked.ok) return checked.output;
  const error = new SignalboxError('ToolOutputInvalid', checked.message, {
    hint: 'Mend the tool, or the output schema of the contract.',
    details: { tool: name, issues: checked.issues.map(({ pointer, message }) => ({ pointer, message })) },
  });
  // It has happened, and would give the same again.
  throw Object.assign(error, { [PERMANENT]: true });
}

function mayRetry(error: unknown, retry: RetryPolicy | undefined): boolean {
  if (retry === undefined || isPermanent(error)) return false;
  return retry.on === undefined || retry.on.includes(errorDataOf(error).code);
}

function backoff({ backoff: first = '1s', factor = 2, maxBackoff = '5m' }: RetryPolicy, attempt: number): number {
  return Math.min(parseDuration(first) * factor ** (attempt - 1), parseDuration(maxBackoff));
}

function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const stop = clock.at(clock.now() + ms, resolve);
    signal.addEventListener('abort', () => {
      stop();
      resolve();
    });
  });
}

function withAttempts(error: unknown, attempts: number): unknown {
  if (attempts === 1) return error;
  const { code, message, permanent, details } = errorDataOf(error);
  const told = new SignalboxError(code, message, { details: { ...details, attempts } });
  return permanent ? Object.assign(told, { [PERMANENT]: true }) : told;
}
