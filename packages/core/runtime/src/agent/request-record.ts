import { type JsonObject, type JsonValue, jsonEqual } from '@signalbox/kernel';
import type { ModelMessage, ModelRequest } from '@signalbox/ports';
import type { LeftOut } from './state-summary.ts';

/**
 * What the log keeps of what a model was told.
 *  - `full`: every text once, when it is new.
 *  - `digest`: of each who and how much, nothing of what was said; the operation's digest is over the whole of it either way.
 * Replies are kept as they are by both: a run that goes on reads them.
 */
export type ModelRecords = 'full' | 'digest';

/** A prompt in a file of its own, by its hash. */
export interface PromptVersion {
  readonly name: string;
  readonly hash: string;
}

/**
 * Records of one visit's requests: each holds what was added since the last that was made. Its own replies are not told again:
 * they stand in the records of their calls.
 */
export class RequestRecords {
  readonly #records: ModelRecords;
  readonly #prompts: readonly PromptVersion[];
  #last: ModelRequest | undefined;
  #leftOut: readonly LeftOut[] = [];

  constructor(records: ModelRecords, prompts: readonly PromptVersion[] = []) {
    this.#records = records;
    this.#prompts = prompts;
  }

  /** `leftOut`: what the model was to be told, and is not. */
  of({ model, system, tools, messages }: ModelRequest, leftOut: readonly LeftOut[] = []): JsonObject {
    const last = this.#last;
    const names = namesOf(tools);
    const isFull = this.#records === 'full';
    const isNews =
      leftOut.length > 0 && !jsonEqual(leftOut as unknown as JsonValue, this.#leftOut as unknown as JsonValue);
    const added = messages.slice(last?.messages.length ?? 0).filter(({ role }) => role !== 'assistant');
    return {
      ...(model === last?.model ? {} : { model }),
      ...(last === undefined && this.#prompts.length > 0 ? { prompts: this.#prompts.map(each => ({ ...each })) } : {}),
      ...(system === last?.system ? {} : { system: isFull ? (system ?? '') : { chars: [...(system ?? '')].length } }),
      ...(last !== undefined && jsonEqual(names, namesOf(last.tools)) ? {} : { tools: names }),
      ...(isNews ? { leftOut: leftOut.map(each => (isFull ? { ...each } : { what: each.what })) } : {}),
      messages: isFull ? (added as unknown as JsonValue) : added.map(measured),
    };
  }

  /** It was made: what it held is known from now on. */
  made(request: ModelRequest, leftOut: readonly LeftOut[] = []): void {
    this.#last = request;
    this.#leftOut = leftOut;
  }
}

function namesOf(tools: ModelRequest['tools']): string[] {
  return (tools ?? []).map(({ name }) => name);
}

function measured(message: ModelMessage): JsonObject {
  if (message.role !== 'tool') return { role: message.role, chars: [...(message.text ?? '')].length };
  const { role, id, tool, result, failed } = message;
  const text = typeof result === 'string' ? result : JSON.stringify(result);
  return { role, id, tool, chars: [...text].length, ...(failed === undefined ? {} : { failed }) };
}
