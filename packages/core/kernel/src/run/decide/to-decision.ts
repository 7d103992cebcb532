import { SignalboxError } from '../../error/error.ts';
import type { DecisionData } from '../../event/run-event.ts';
import { isJsonObject, type JsonValue } from '../../json/value.ts';

type Check = (value: JsonValue) => boolean;

const isText: Check = value => typeof value === 'string';
const isRejected: Check = value =>
  isJsonObject(value) &&
  Object.hasOwn(value, 'option') &&
  [value.reason, value.code].every(text => text === undefined || isText(text));

/** What code may say of a decision; that a human made one only an answer can say. */
const DECIDER = /^(node|rule|model|service)(:[^\p{Cc}\u2028\u2029]+)?$/u;

const MEMBERS: Readonly<Record<keyof DecisionData, { readonly is: Check; readonly wanted: string }>> = {
  point: { is: isText, wanted: 'text' },
  options: { is: Array.isArray, wanted: 'a list' },
  chosen: { is: () => true, wanted: 'a value' },
  rejected: {
    is: value => Array.isArray(value) && value.every(isRejected),
    wanted: 'a list of { option, reason, code }',
  },
  reason: { is: isText, wanted: 'text' },
  confidence: { is: value => typeof value === 'number', wanted: 'a number' },
  decidedBy: {
    is: value => typeof value === 'string' && DECIDER.test(value),
    wanted: 'node, rule, model or service, with a name after a colon where there is one',
  },
  from: { is: isText, wanted: 'text' },
  to: { is: isText, wanted: 'text' },
  context: { is: () => true, wanted: 'a value' },
  attributes: { is: isJsonObject, wanted: 'an object' },
};

/**
 * A decision that a handler made up, with its known members alone: which node it stands for is not the handler's to say.
 * @throws SignalboxError `InvalidValue` for a member of another kind, or when nothing is chosen.
 */
export function toDecision(given: unknown): DecisionData {
  if (!isJsonObject(given)) throw invalid('', 'an object');
  const data: Record<string, JsonValue> = {};
  for (const [name, { is, wanted }] of Object.entries(MEMBERS)) {
    const value = given[name];
    if (value === undefined || !Object.hasOwn(given, name)) continue;
    if (!is(value)) throw invalid(`/${name}`, wanted);
    data[name] = value;
  }
  if (data.point === undefined) throw invalid('/point', 'text');
  if (data.chosen === undefined) throw invalid('/chosen', 'a value');
  return data as unknown as DecisionData;
}

function invalid(pointer: string, wanted: string): SignalboxError {
  return new SignalboxError('InvalidValue', `A decision wants ${wanted} at "${pointer || '/'}".`, {
    details: { pointer },
  });
}
