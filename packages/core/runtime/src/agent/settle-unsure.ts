import { isJsonObject, type JsonValue, SignalboxError } from '@signalbox/kernel';
import type { VisitFacts } from '../gate/gate-facts.ts';
import type { TaskExecution } from '../journal/execution.ts';
import { PERMANENT } from '../journal/handler.ts';
import type { AgentSpec } from './agent-spec.ts';
import { markedSchemas, maskedReply } from './conceal-reply.ts';
import { confidenceOf, editedReply, isUnsure, thresholdOf, unsureRequest } from './low-confidence.ts';
import { MODEL_OP } from './model-operation.ts';
import { checkReply } from './reply.ts';

/** The question is named after this. */
const QUESTION = 'confidence';

/**
 * The reply as it stands: by itself where it is sure enough, else as a person approved or edited it. What a person edited has to fit
 * schema and rules like what the model wrote, and is asked about again where it does not.
 * @throws SignalboxError `Declined`
 */
export async function settleUnsure(
  execution: TaskExecution,
  { contract, output, confidence }: AgentSpec,
  facts: VisitFacts,
  reply: JsonValue,
): Promise<JsonValue> {
  const threshold = thresholdOf(contract.definition.confidence, confidence);
  if (threshold === undefined || !isUnsure(reply, threshold)) return reply;
  const schema = (contract.output ?? output)?.json;
  const shown = maskedReply(markedSchemas({ contract, output }), reply);
  const about = { agent: contract.definition.name, reply, shown, schema, assignees: threshold.assignees };
  let fault: string | undefined;
  for (;;) {
    const request = unsureRequest({ ...about, ...(fault === undefined ? {} : { fault }) });
    const answer = await execution.ask(QUESTION, request);
    const { action, values, note } = isJsonObject(answer) ? answer : { action: 'reject' };
    // What was declined in a visit before was another reply, be it in the same words.
    if (isOfBefore(execution) && action !== 'approve' && action !== 'edit') continue;
    if (action !== 'approve' && action !== 'edit') {
      decide(execution, reply, null);
      throw declined(about.agent, note);
    }
    const wanted = action === 'edit' && isJsonObject(values) ? editedReply(reply, schema, values) : reply;
    const checked = action === 'edit' ? checkReply(wanted, contract, output, facts.now) : undefined;
    if (checked?.kind !== 'fault') {
      decide(execution, reply, wanted);
      return wanted;
    }
    fault = checked.fault;
  }
}

function isOfBefore(execution: TaskExecution): boolean {
  const isTakenOver = (name: string) => execution.isTakenOver(execution.lastNamed(name));
  return isTakenOver(QUESTION) && !isTakenOver(MODEL_OP);
}

function decide(execution: TaskExecution, reply: JsonValue, chosen: JsonValue): void {
  const { reason, alternatives } = isJsonObject(reply) ? reply : { reason: null };
  const confidence = confidenceOf(reply);
  const decision = {
    chosen,
    options: [reply, ...(Array.isArray(alternatives) ? alternatives : [])],
    ...(typeof reason === 'string' ? { reason } : {}),
    ...(confidence === undefined ? {} : { confidence }),
  };
  execution.decide('reply', decision, 'reply', QUESTION);
}

function declined(agent: string, note: JsonValue | undefined): Error {
  const why = typeof note === 'string' && note !== '' ? `: ${note}` : '.';
  const error = new SignalboxError('Declined', `The reply of "${agent}" was declined${why}`, {
    hint: 'Route `on: failed` to a person, or to another way of doing it.',
    details: { agent },
  });
  return Object.assign(error, { [PERMANENT]: true });
}
