import { type Field, fieldsFromSchema, isJsonObject, type JsonObject, pointerTo } from '@signalbox/kernel';
import { choiceField } from '../builder/choice-field.ts';
import type { Conversion } from './conversion.ts';
import { DISPLAY } from './display-shape.ts';
import { FIELD, JSON_OBJECT, JSON_SCHEMA, JSON_VALUE, OPTIONS } from './json-shape.ts';
import { type Members, object, optional } from './object-shape.ts';
import { BOOLEAN, byKind, CEL, DURATION, list, listOrOne, number, record, type Shape, text, word } from './shape.ts';
import { entryOf, type SourceNode } from './source-node.ts';

const CEL_VALUE = object('A value to be worked out', { cel: { shape: CEL, required: { standIn: 'null' } } });

/** A text, or CEL that gives one. */
export function templated(wanted = 'a text'): Shape {
  return byKind({ scalar: text(wanted), map: CEL_VALUE }, `${wanted} or { cel: … }`);
}

export const ASSIGNEES = listOrOne(text('a text such as user:finn or role:finance'), 'a text such as role:finance');

const STEP = object('A step of an escalation', {
  ...optional({ assignees: ASSIGNEES, after: DURATION }),
  assign: { shape: ASSIGNEES, as: 'assignees' },
});

/** Who is asked next, one after the other; several at once, or with a time of their own, as a map. */
const ESCALATION = listOrOne(byKind({ scalar: text(), map: STEP }, 'a text or { assign, after }'), 'a text');

const DEADLINE = object('A deadline', {
  ...optional({ after: DURATION, at: templated('a time as text'), to: ESCALATION }),
  onExpire: { shape: word('route', 'fail', 'escalate', 'default'), required: { standIn: 'route' } },
});

const RESUME_MEMBERS: Members = {
  mode: { shape: word('continue', 'restart'), required: { standIn: 'continue' } },
  ...optional({ at: text('the name of a node'), in: word('run'), carry: record(CEL), dedupe: word('run') }),
};

const RESUME_MODE = word('continue', 'restart');

const RESUME: Shape = byKind(
  {
    scalar: {
      schema: RESUME_MODE.schema,
      read: (node, pointer, conversion) => {
        const mode = RESUME_MODE.read(node, pointerTo(pointer, 'mode'), conversion);
        return mode === undefined ? undefined : { mode };
      },
    },
    map: object('`resume`', RESUME_MEMBERS),
  },
  '`continue`, `restart` or a map',
);

const ACTIONS = object('`actions`', optional({ approve: text(), edit: text(), reject: text(), cancel: text() }));

/** A JSON Schema that becomes fields; each field keeps the place of its property. */
const FORM: Shape = {
  schema: JSON_SCHEMA.schema,
  read: (node, pointer, conversion) => {
    const faultsBefore = conversion.faults.length;
    const form = `${pointer}/form`;
    conversion.mark(form, node);
    const schema = JSON_SCHEMA.read(node, form, conversion);
    if (!isJsonObject(schema ?? null) || conversion.faults.length > faultsBefore) return undefined;
    const { fields, faults } = fieldsFromSchema(schema as JsonObject);
    conversion.faults.push(...faults.map(fault => conversion.located({ ...fault, pointer: form + fault.pointer })));
    if (faults.some(fault => fault.severity === 'error')) return undefined;
    markFields(fields, node, pointer, conversion);
    return fields as unknown as readonly JsonObject[];
  },
};

function markFields(fields: readonly Field[], form: SourceNode, pointer: string, conversion: Conversion): void {
  const properties = form.kind === 'map' ? entryOf(form, 'properties')?.value : undefined;
  fields.forEach(({ name }, index) => {
    const entry = properties?.kind === 'map' ? entryOf(properties, name) : undefined;
    if (entry !== undefined) conversion.mark(pointerTo(pointer, index), entry.value, entry.keyAt);
  });
}

/** What can be chosen, as the one field of a choice. */
const CHOICE: Shape = {
  schema: OPTIONS.schema,
  read: (node, pointer, conversion) => {
    const options = OPTIONS.read(node, `${pointer}/0/options`, conversion);
    return options === undefined ? undefined : [choiceField(options)];
  },
};

const RULE = object('A rule', {
  ...optional({ fields: listOrOne(text('the name of a field'), 'the name of a field'), when: CEL }),
  assert: { shape: CEL, required: { standIn: 'true' } },
  message: { shape: text(), required: { standIn: 'message' } },
});

const REMEMBER = object('`remember`', {
  ...optional({ key: templated(), ttl: DURATION }),
  scope: { shape: word('run', 'session', 'user'), required: { standIn: 'run' } },
});

const MEMBERS: Members = {
  ...optional({
    kind: word('form', 'confirmation', 'choice', 'display'),
    message: templated(),
    gap: word('parameter', 'constraint', 'structure', 'worldState', 'preference', 'approval'),
    summary: templated(),
    purpose: text(),
    context: JSON_VALUE,
    fields: list(FIELD),
    rules: list(RULE),
    displays: list(DISPLAY),
    actions: ACTIONS,
    proposal: object('A proposal', {
      ...optional({
        values: JSON_OBJECT,
        confidence: byKind(
          { scalar: number({ minimum: 0, maximum: 1 }), map: CEL_VALUE },
          'a number from 0 to 1 or { cel: … }',
        ),
        reason: templated(),
        alternatives: list(JSON_VALUE),
      }),
    }),
    subject: JSON_VALUE,
    assignees: ASSIGNEES,
    quorum: number({ minimum: 1 }),
    fourEyes: BOOLEAN,
    requester: templated('a text such as user:finn'),
    serviceTimeout: DURATION,
    remind: list(object('A reminder', optional({ after: DURATION, before: DURATION }))),
    deadline: DEADLINE,
    resume: RESUME,
    hold: word('branch', 'run'),
    remember: REMEMBER,
    recall: BOOLEAN,
  }),
  title: { shape: templated(), required: { standIn: 'title' } },
  form: { shape: FORM, as: 'fields' },
  options: { shape: CHOICE, as: 'fields' },
  assign: { shape: ASSIGNEES, as: 'assignees' },
};

const WRITTEN = object('A request', MEMBERS);

/** What an `ask` node or a wait asks. One with fields is a `form`, with `options` a `choice`, where it does not say what it is. */
export const REQUEST: Shape = {
  schema: WRITTEN.schema,
  read: (node, pointer, conversion) => {
    const request = WRITTEN.read(node, pointer, conversion);
    if (!isJsonObject(request ?? null)) return undefined;
    const { kind, ...rest } = request as JsonObject;
    if (kind !== undefined) return { kind, ...rest };
    if (conversion.isBroken(pointerTo(pointer, 'kind'))) return { kind: 'confirmation', ...rest };
    if (node.kind === 'map' && entryOf(node, 'options') !== undefined) return { kind: 'choice', ...rest };
    if (Object.hasOwn(rest, 'fields') || conversion.isBroken(pointerTo(pointer, 'fields')))
      return { kind: 'form', ...rest };
    const hint = 'One of form, confirmation, choice, display; a request with fields is a form.';
    conversion.fault('MissingKey', pointer, 'A request without fields needs `kind`.', { hint });
    conversion.break(pointerTo(pointer, 'kind'));
    return { kind: 'confirmation', ...rest };
  },
};

export const STAND_IN_REQUEST: JsonObject = { kind: 'confirmation', title: 'title' };
