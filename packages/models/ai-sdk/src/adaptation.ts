import { isJsonObject, type JsonObject, type JsonValue, jsonEqual } from '@signalbox/kernel';
import type { ModelRequest } from '@signalbox/ports';
import type { Connection } from './connection.ts';
import type { Failure } from './failure.ts';
import { projectSchema } from './schema-projection.ts';
import type { ToolNames } from './tool-names.ts';

/** What is changed in a request so that a provider that refused it may take it. */
export interface Adaptation {
  /** Schemas of tools are projected. */
  readonly tools: boolean;
  /** The schema of the reply goes into the prompt. */
  readonly output: boolean;
  readonly without: readonly Setting[];
}

/** `maxOutputTokens` is none of them: a bound is not ours to lift. */
const SETTINGS = ['temperature', 'seed'] as const;
type Setting = (typeof SETTINGS)[number];

export const UNCHANGED: Adaptation = { tools: false, output: false, without: [] };

/** By these words a provider names what it does not take. */
const NAMES = {
  tools: /\btools?\b|function|input_schema|parameters/i,
  output: /response_format|json_schema|json_object|output_config|output_format|text\.format|structured/i,
  temperature: /temperature/i,
  seed: /\bseed\b/i,
};
/** What no change of ours helps. */
const OTHER =
  /context.?(length|window)|too (long|large|many tokens)|maximum.*tokens|credit|billing|quota|safety|policy|max_\w*tokens/i;
const ADAPTABLE = new Set([400, 422]);

/**
 * What to change after `failure` beside what was changed before in `sent`; undefined: nothing would be different. What it names
 * is changed, and where it names nothing, the schemas.
 */
export function adaptationAfter(
  { status, reason, param = '', code }: Failure,
  sent: ModelRequest,
  { kind, takesSchema }: Connection,
  before: Adaptation,
): Adaptation | undefined {
  if (code !== 'ModelRefusedRequest' || status === undefined || !ADAPTABLE.has(status)) return undefined;
  const text = `${param} ${reason}`;
  const named = (Object.keys(NAMES) as (keyof typeof NAMES)[]).filter(key => NAMES[key].test(text));
  if (named.length === 0 && OTHER.test(text)) return undefined;
  const means = (key: keyof typeof NAMES) => named.includes(key) || named.length === 0;
  const tools = means('tools') && hasWideTools(sent, kind);
  const output = means('output') && sent.output !== undefined && takesSchema && !before.output;
  const without = SETTINGS.filter(setting => sent[setting] !== undefined && named.includes(setting));
  if (!tools && !output && without.length === 0) return undefined;
  return {
    tools: tools || before.tools,
    output: output || before.output,
    without: [...before.without, ...without],
  };
}

function hasWideTools({ tools = [] }: ModelRequest, kind: Connection['kind']): boolean {
  return tools.some(({ input }) => !jsonEqual(input, projectSchema(input, kind)));
}

export function adapt(request: ModelRequest, { tools, without }: Adaptation, kind: Connection['kind']): ModelRequest {
  const adapted = {
    ...request,
    ...(tools ? { tools: request.tools?.map(tool => ({ ...tool, input: projectSchema(tool.input, kind) })) } : {}),
  } as { -readonly [Key in keyof ModelRequest]: ModelRequest[Key] };
  for (const setting of without) delete adapted[setting];
  return adapted;
}

/** The part of the request that a refusal is about, as it was sent: a tool by place or name, and in it the place of the fault. */
export function offendingPart(
  { reason, param = '' }: Failure,
  request: ModelRequest,
  names: ToolNames,
): JsonObject | undefined {
  const { tools = [], output } = request;
  const text = `${param} ${reason}`;
  const index = /tools[[.](\d+)/.exec(text)?.[1];
  const tool =
    (index === undefined ? undefined : tools[Number(index)]) ??
    tools.find(({ name }) => [`'${name}'`, `"${name}"`, `\`${name}\``].some(quoted => text.includes(quoted)));
  if (tool !== undefined) return { tool: names.own(tool.name), ...partOf(tool.input, reason) };
  return output !== undefined && NAMES.output.test(text) ? { output: true, ...partOf(output, reason) } : undefined;
}

/** OpenAI names the place: `In context=('properties', 'amount')`. */
function partOf(schema: JsonObject, reason: string): JsonObject {
  const context = /context=\(([^)]*)\)/.exec(reason)?.[1];
  const steps = [...(context ?? '').matchAll(/'([^']*)'/g)].map(match => match[1]!);
  let part: JsonValue | undefined = schema;
  for (const step of steps) {
    const at: JsonValue | undefined = part;
    part = isJsonObject(at) ? at[step] : Array.isArray(at) ? at[Number(step)] : undefined;
  }
  return steps.length > 0 && part !== undefined ? { at: `/${steps.join('/')}`, schema: part } : { schema };
}
