import {
  type CompiledTool,
  fieldsFromSchema,
  hasParts,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  masked,
  type RequestDefinition,
} from '@signalbox/kernel';

export interface CallToApprove {
  readonly tool: CompiledTool;
  readonly contract: string;
  readonly args: JsonObject;
  readonly subject: string;
  /** Why it needs an approval. */
  readonly reason: string;
}

/**
 * The question whether a call may run.
 *  1. What is approved is `subject`, the digest of exactly what runs.
 *  2. Arguments are shown as JSON text: nothing that a model wrote is ever taken for a template of the question.
 *  3. Where no argument is sensitive and each has a field that takes it, they can be edited; the edited call passes the
 *     whole gate anew.
 */
export function approvalRequest({ tool, contract, args, subject, reason }: CallToApprove): RequestDefinition {
  const { definition, name } = tool;
  const { title, assignees, quorum, fourEyes, deadline } = definition.approval ?? {};
  const shown = masked(args, tool.sensitive);
  const { fields, values } = editable(tool, args);
  return {
    kind: 'confirmation',
    title: title ?? `May "${name}" be called?`,
    gap: 'approval',
    purpose: 'An approval lets exactly this call run, once; a rejection is told to the agent.',
    summary: definition.description ?? name,
    context: { tool: name, effect: definition.effect, contract, reason, arguments: textOf(shown) },
    displays: [{ type: 'text', title: 'Arguments', text: textOf(shown) }],
    subject,
    ...(fields.length === 0 ? {} : { fields, proposal: { values } }),
    ...(assignees === undefined ? {} : { assignees }),
    ...(quorum === undefined ? {} : { quorum }),
    ...(fourEyes === undefined ? {} : { fourEyes }),
    ...(deadline === undefined ? {} : { deadline: { after: deadline, onExpire: 'route' as const } }),
  };
}

function editable(
  { definition, sensitive }: CompiledTool,
  args: JsonObject,
): { fields: readonly JsonObject[]; values: JsonObject } {
  const none = { fields: [], values: {} };
  if (hasParts(sensitive)) return none;
  const { fields, faults } = fieldsFromSchema(definition.input);
  const names = new Set(fields.map(({ name }) => name));
  const fits = Object.entries(args).every(([name, value]) => names.has(name) && isPlain(value));
  if (faults.length > 0 || !fits) return none;
  return { fields: fields as unknown as readonly JsonObject[], values: args };
}

function isPlain(value: JsonValue): boolean {
  return Array.isArray(value) ? value.every(item => typeof item !== 'object') : !isJsonObject(value);
}

function textOf(value: JsonValue): string {
  return JSON.stringify(value, null, 2);
}
