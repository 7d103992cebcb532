import { type JsonObject, type JsonValue, jsonEqual, marksSensitive, masked } from '@signalbox/kernel';
import type { ModelReply } from '@signalbox/ports';
import type { TaskExecution } from '../journal/execution.ts';
import type { AgentSpec } from './agent-spec.ts';
import { jsonOf } from './reply.ts';

/** The schemas of an agent's reply that mark anything in it. */
export function markedSchemas({ contract, output }: Pick<AgentSpec, 'contract' | 'output'>): readonly JsonObject[] {
  return [contract.output, output].flatMap(validator =>
    validator !== undefined && marksSensitive(validator.json) ? [validator.json] : [],
  );
}

export function maskedReply(schemas: readonly JsonObject[], reply: JsonValue): JsonValue {
  return schemas.reduce<JsonValue>((shown, schema) => masked(shown, { pointers: [], schema }), reply);
}

/**
 * Before a reply is recorded: what its schemas mark is known from there on. The text is sensitive as a whole where it cannot be
 * read, or would still say what is marked.
 */
export function concealReply(
  execution: Pick<TaskExecution, 'conceal' | 'secrets'>,
  schemas: readonly JsonObject[],
  { text, calls, finish }: ModelReply,
): void {
  if (schemas.length === 0 || calls.length > 0 || text === '' || finish === 'refused' || finish === 'filtered') return;
  const reply = jsonOf(text);
  if (reply === undefined) return execution.conceal(text);
  concealOutput(execution, schemas, reply);
  const shown = execution.secrets.masked(maskedReply(schemas, reply));
  const told = jsonOf(execution.secrets.maskedText(text));
  if (told === undefined || !jsonEqual(told, shown)) execution.conceal(text);
}

export function concealOutput(
  { secrets }: Pick<TaskExecution, 'secrets'>,
  schemas: readonly JsonObject[],
  output: JsonValue,
): void {
  if (schemas.length > 0) secrets.learn(output, maskedReply(schemas, output), 'output');
}
