import type { CompiledTool } from '../contract/compiled-contract.ts';
import { pointerTo } from '../error/fault.ts';
import { toJsonValue } from '../json/to-json-value.ts';
import { hasKey, isJsonObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { createIssue, type Issue, kindOf } from '../schema/issue.ts';
import type { Validation } from '../schema/validator.ts';
import { masked } from './masked.ts';
import { createNormalizer, type Normalized, type Normalizer } from './normalize/normalizer.ts';
import type { Passage, Stop } from './passage.ts';

/**
 * The stages `normalize` and `validate`. What satisfies the schema as it is needs no normalization, so it is looked at first.
 */
export function fitArguments(passage: Passage, given: JsonValue): Stop | undefined {
  const { input, definition } = passage.tool;
  const asGiven = input.validate(given);
  if (asGiven.ok || !definition.normalize) {
    passage.pass('normalize');
    return settle(passage, given, asGiven, []);
  }
  const normalized = normalizerOf(passage.tool).normalize(given, passage.options);
  recordNormalized(passage, given, normalized);
  const validation = normalized.changes.length === 0 ? asGiven : input.validate(normalized.value);
  return settle(passage, normalized.value, validation, normalized.ambiguous);
}

const normalizers = new WeakMap<CompiledTool, Normalizer>();

function normalizerOf(tool: CompiledTool): Normalizer {
  const normalizer = normalizers.get(tool) ?? createNormalizer(tool.definition.input);
  normalizers.set(tool, normalizer);
  return normalizer;
}

function recordNormalized(passage: Passage, given: JsonValue, { value, changes }: Normalized): void {
  if (changes.length === 0) {
    passage.pass('normalize');
    return;
  }
  const { sensitive } = passage.tool;
  const [before, after] = [masked(given, sensitive), masked(value, sensitive)];
  passage.stages.push({ stage: 'normalize', outcome: 'changed', in: before, out: after, changes });
}

function settle(
  passage: Passage,
  given: JsonValue,
  validation: Validation,
  ambiguous: readonly string[],
): Stop | undefined {
  if (!validation.ok) return invalid(passage, explained(validation.issues, ambiguous));
  const { value } = validation;
  if (!isJsonObject(value)) return invalid(passage, [createIssue('', 'type', { type: 'object', got: kindOf(value) })]);
  const clean = toJsonValue(value);
  if (!clean.ok) return invalid(passage, [createIssue(clean.pointer, 'notJson')]);
  passage.args = value;
  passage.sight.args = value;
  if (value === given) return passage.pass('validate');
  const defaults = added(given, value, '');
  if (defaults.length === 0) return passage.pass('validate');
  const changes = defaults.map(pointer => ({ pointer, rule: 'default' }));
  const out = masked(value, passage.tool.sensitive);
  passage.stages.push({ stage: 'validate', outcome: 'changed', out, changes });
  return undefined;
}

/** Where defaults of the schema stand in for keys that were not given. */
function added(before: JsonValue, after: JsonValue, pointer: string): string[] {
  if (typeof after !== 'object' || after === null) return NONE;
  const places: string[] = [];
  for (const [key, member] of Object.entries(after) as [string, JsonValue][]) {
    if (!hasKey(before as JsonObject, key)) places.push(pointerTo(pointer, key));
    else if (typeof member === 'object')
      places.push(...added((before as JsonObject)[key]!, member, pointerTo(pointer, key)));
  }
  return places;
}

const NONE: string[] = [];

const AMBIGUOUS = '; what was given can be read in more than one way';

function explained(issues: readonly Issue[], ambiguous: readonly string[]): readonly Issue[] {
  if (ambiguous.length === 0) return issues;
  return issues.map(issue =>
    ambiguous.includes(issue.pointer) ? { ...issue, message: issue.message + AMBIGUOUS } : issue,
  );
}

const MOST_SAID = 5;
/** A list of a million wrong items is wrong in one way: the record need not hold each. */
const MOST_KEPT = 50;

function invalid(passage: Passage, issues: readonly Issue[]): Stop {
  const said = issues.slice(0, MOST_SAID).map(({ pointer, message }) => `${shown(pointer) || 'the whole'} ${message}`);
  const more = issues.length > MOST_SAID ? `; ${issues.length - MOST_SAID} more` : '';
  const message = `The arguments of \`${passage.call.tool}\` do not fit: ${said.join('; ')}${more}.`;
  return passage.refuse('validate', {
    code: 'argumentsInvalid',
    message,
    issues: issues.slice(0, MOST_KEPT),
    retryable: true,
  });
}

/** A key is the model's own text, of any length. */
function shown(pointer: string): string {
  const chars = [...pointer.slice(0, 2 * LONGEST_POINTER)];
  return pointer.length > LONGEST_POINTER ? `${chars.slice(0, LONGEST_POINTER).join('')}…` : pointer;
}

const LONGEST_POINTER = 200;
