import { isSignalboxError } from '../error/error.ts';
import { pointerTo } from '../error/fault.ts';
import { BOOL, type ExprType, STRING, TIMESTAMP, unionOf } from '../expression/expr-type.ts';
import type { ExprEnv } from '../expression/expression.ts';
import type { JsonValue } from '../json/value.ts';
import { checkFields } from '../request/check-fields.ts';
import type { RequestDefinition } from '../request/definition.ts';
import type { Field } from '../request/field.ts';
import type { Reminder } from '../request/reminders.ts';
import type { Rule } from '../request/rules.ts';
import { parseDuration } from '../time/duration.ts';
import { errorAt } from './check/fault.ts';
import type { ExpressionCompiler } from './expression-compiler.ts';
import { typeOfFields } from './field-types.ts';
import type { CompiledRequest, Template } from './program.ts';
import { compileTemplate, hasCel } from './template.ts';

/** What a time may be given as: RFC 3339 or local text, or a CEL timestamp. */
export const TIME: ExprType = unionOf([STRING, TIMESTAMP]);

const TEMPLATED = ['title', 'message', 'summary', 'context', 'proposal', 'subject', 'requester', 'displays'] as const;
const OF_TEXT: ReadonlySet<string> = new Set(['title', 'message', 'summary', 'requester', 'rememberKey']);

const SERVICE_TIMEOUT_MS = 60_000;

export interface RequestPlace {
  readonly pointer: string;
  /** When the question is opened. */
  readonly before: ExprEnv;
  /** For what is carried over a restart: the answer is the output. */
  readonly after: ExprEnv;
  readonly zone: string;
  readonly stateType: (key: string) => ExprType | undefined;
}

export function compileRequest(
  definition: RequestDefinition,
  place: RequestPlace,
  compiler: ExpressionCompiler,
): CompiledRequest {
  const { pointer, before } = place;
  const fields = compileFields(definition, place, compiler);
  const { deadline, resume } = definition;
  const carry = resume?.mode === 'restart' ? resume.carry : undefined;
  return {
    definition,
    fields,
    rules: compileRules(definition, fields, pointer, compiler),
    templates: compileTemplates(definition, place, compiler),
    deadlineAfter: lengthIf(deadline?.after, `${pointer}/deadline/after`, compiler),
    deadlineAt:
      deadline?.at === undefined
        ? undefined
        : compileTemplate(deadline.at, `${pointer}/deadline/at`, before, compiler, TIME),
    escalation: (deadline?.to ?? []).map((step, index) =>
      typeof step === 'string'
        ? { assignees: [step], after: undefined }
        : {
            assignees: step.assignees,
            after: lengthIf(step.after, `${pointer}/deadline/to/${index}/after`, compiler),
          },
    ),
    reminders: compileReminders(definition, pointer, compiler),
    serviceTimeout: lengthIf(definition.serviceTimeout, `${pointer}/serviceTimeout`, compiler) ?? SERVICE_TIMEOUT_MS,
    rememberFor: lengthIf(definition.remember?.ttl, `${pointer}/remember/ttl`, compiler),
    carry: compiler.compileMap(carry, `${pointer}/resume/carry`, place.after, place.stateType),
  };
}

function compileReminders(
  { remind = [] }: RequestDefinition,
  pointer: string,
  compiler: ExpressionCompiler,
): Reminder[] {
  return remind.flatMap(({ after: afterText, before: beforeText }, index) => {
    const after = lengthIf(afterText, `${pointer}/remind/${index}/after`, compiler);
    const before = lengthIf(beforeText, `${pointer}/remind/${index}/before`, compiler);
    return [...(after === undefined ? [] : [{ after }]), ...(before === undefined ? [] : [{ before }])];
  });
}

function lengthIf(text: string | undefined, pointer: string, compiler: ExpressionCompiler): number | undefined {
  return text === undefined ? undefined : lengthOf(text, pointer, compiler);
}

/** A handler's own request comes here unchecked, so that a bad text is a fault and nothing thrown. */
function lengthOf(text: string, pointer: string, compiler: ExpressionCompiler): number | undefined {
  try {
    return parseDuration(text);
  } catch (error) {
    if (!isSignalboxError(error)) throw error;
    compiler.faults.push(errorAt(pointer, error.code, error.message, error.hint));
    return undefined;
  }
}

/** `showIf` sees the values of the whole form; which of them are there is not known, so none is asked to be tested. */
function compileFields(definition: RequestDefinition, place: RequestPlace, compiler: ExpressionCompiler) {
  const read = checkFields(definition.fields ?? [], `${place.pointer}/fields`, {
    zone: place.zone,
    checkTemplate: () => [],
  });
  compiler.faults.push(...read.faults);
  const values = typeOfFields(read.fields);
  const open = values.kind === 'object' ? { ...values, props: allPresent(values.props) } : values;
  (definition.fields ?? []).forEach((field, index) => {
    if (typeof field.showIf !== 'string') return;
    compiler.compile(field.showIf, `${place.pointer}/fields/${index}/showIf`, { variables: { values: open } }, BOOL);
  });
  return read.fields;
}

/**
 * `when` and `assert` are one expression, so that what `when` has tested need not be tested again. Each is compiled by itself first, for its
 * own faults to be told at its own place.
 */
function compileRules(
  { rules = [] }: RequestDefinition,
  fields: readonly Field[],
  pointer: string,
  compiler: ExpressionCompiler,
): Rule[] {
  const env = { variables: { values: typeOfFields(fields), now: TIMESTAMP } };
  return rules.map(({ assert, message, fields: names = [], when }, index) => {
    const place = `${pointer}/rules/${index}`;
    const faultsBefore = compiler.faults.length;
    const guard = when === undefined ? undefined : compiler.compile(when, `${place}/when`, env, BOOL);
    const isBroken = compiler.faults.slice(faultsBefore).some(({ severity }) => severity === 'error');
    const source = guard === undefined ? assert : `!(${when}) || (${assert})`;
    const holds = isBroken ? guard! : compiler.compile(source, `${place}/assert`, env, BOOL);
    return { message, fields: names, holds };
  });
}

function allPresent(props: Extract<ExprType, { kind: 'object' }>['props']): typeof props {
  return Object.fromEntries(Object.entries(props).map(([name, { type }]) => [name, { type, optional: false }]));
}

function compileTemplates(
  definition: RequestDefinition,
  { pointer, before }: RequestPlace,
  compiler: ExpressionCompiler,
): ReadonlyMap<string, Template> {
  const templates = new Map<string, Template>();
  const add = (name: string, value: JsonValue | undefined, at: string) => {
    if (value === undefined || !hasCel(value)) return;
    templates.set(name, compileTemplate(value, at, before, compiler, OF_TEXT.has(name) ? STRING : undefined));
  };
  for (const name of TEMPLATED) add(name, definition[name], pointerTo(pointer, name));
  add('rememberKey', definition.remember?.key, `${pointer}/remember/key`);
  (definition.fields ?? []).forEach((field, index) => {
    add(`options/${field.name}`, field.options, `${pointer}/fields/${index}/options`);
  });
  return templates;
}
