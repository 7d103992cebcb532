import {
  type HandlerReference,
  type JsonObject,
  type MapNode,
  type NodeCommon,
  type NodeDefinition,
  pointerTo,
  toJsonValue,
  type Validator,
  type WaitFor,
} from '@signalbox/kernel';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { type AgentOptions, agentSettings, codedAgent } from './agent.ts';
import type { Assembly } from './assembly.ts';
import { isGraph } from './graph.ts';
import type { Handler } from './handler.ts';
import { limitsOf } from './limits.ts';
import {
  type AskNodeOptions,
  type MapOptions,
  type NodeOptions,
  type NodeRecipe,
  type NodeSpec,
  SPEC,
  type WaitOptions,
} from './node-spec.ts';
import { checkSettings } from './node-type.ts';
import { present } from './present.ts';
import type { AskRequest, AskWithForm } from './request.ts';
import { REQUEST_KEYS, toRequestDefinition } from './request-definition.ts';

/** Where a node stands: `path` is the type of its inline handlers (`graph/node`), `pointer` its place in the definition. */
export interface NodePlace {
  readonly path: string;
  readonly pointer: string;
}

type Recipe<Kind extends NodeRecipe['kind']> = Extract<NodeRecipe, { kind: Kind }>;
type Translate<Kind extends NodeRecipe['kind']> = (
  recipe: Recipe<Kind>,
  place: NodePlace,
  assembly: Assembly,
) => NodeDefinition;

/** A node as data; its code goes to the assembly. */
export function nodeDefinition(spec: NodeSpec, place: NodePlace, assembly: Assembly): NodeDefinition {
  const recipe = spec[SPEC];
  const translate = TRANSLATE[recipe.kind] as Translate<typeof recipe.kind>;
  return translate(recipe, place, assembly);
}

const TRANSLATE: { readonly [Kind in NodeRecipe['kind']]: Translate<Kind> } = {
  step: ({ options, handler }, place, assembly) => {
    const { output, compensate, rev = 1, next, restartTargets, ...common } = options;
    return present({
      type: 'step' as const,
      ...commonOf(common),
      handler: assembly.handler(`${place.path}@${rev}`, handler, place.pointer),
      output: output && assembly.json(output, `${place.pointer}/output`),
      next,
      restartTargets,
      compensate: compensationOf(compensate, place, rev, assembly),
    });
  },
  agent: ({ options }, place, assembly) => {
    const { output, rev = 1 } = options;
    return present({
      type: 'step' as const,
      ...commonOf(withoutAgentParts(options)),
      handler: assembly.handler(`${place.path}@${rev}`, codedAgent(options), place.pointer),
      with: agentSettings(options),
      output: output && assembly.json(output, `${place.pointer}/output`),
    });
  },
  typed: ({ options, type }, place, assembly) => {
    const { with: settings, compensate, ...common } = options;
    return present({
      type: 'step' as const,
      ...commonOf(common),
      handler: assembly.handler(type.key, type.handler, place.pointer),
      with: settingsOf(settings, place, assembly, type.handler.settings),
      output: type.output && assembly.json(type.output, `${place.pointer}/output`),
      compensate: compensationOf(compensate, place, 1, assembly),
    });
  },
  ask: ({ options }, place, assembly) => {
    const [request, common] = splitRequest(options);
    return { type: 'ask', ...commonOf(common), request: requestOf(request, `${place.pointer}/request`, assembly) };
  },
  transform: ({ options: { output, ...common } }) =>
    present({ type: 'transform' as const, ...commonOf(common), output }),
  wait: ({ options }, place, assembly) => waitNode(options, place, assembly),
  map: ({ options }, place, assembly) => {
    const { items, body, share, concurrency, onError, maxItems, ...common } = options;
    return present({
      type: 'map' as const,
      ...commonOf(common),
      items,
      body: bodyOf(body, share, place, assembly),
      concurrency,
      onError,
      maxItems,
    });
  },
  subgraph: ({ graph, options: { share, ...common } }, place, assembly) =>
    present({ type: 'subgraph' as const, ...commonOf(common), graph: assembly.subgraph(graph, place.pointer), share }),
  join: ({ options }) => ({ type: 'join', ...commonOf(options) }),
  fail: ({ options: { code, message, ...common } }) =>
    present({ type: 'fail' as const, ...commonOf(common), code, message }),
};

function withoutAgentParts(options: AgentOptions<never>): NodeOptions {
  const { model, cheaperModel, contract, tools, system, prompt, output, maxTurns, ...rest } = options;
  const { maxOutputTokens, temperature, maxRepairs, repairModel, bridge, confidence, record, rev, ...common } = rest;
  return common;
}

function commonOf({ retry, fallback, limits, ...rest }: NodeOptions): NodeCommon {
  return present({
    ...rest,
    update: rest.update as NodeCommon['update'],
    limits: limitsOf(limits),
    retry: typeof retry === 'number' ? { attempts: retry } : retry,
    fallback: typeof fallback === 'string' ? { node: fallback } : fallback,
  });
}

function compensationOf(
  execute: Handler['execute'] | undefined,
  place: NodePlace,
  rev: number,
  assembly: Assembly,
): HandlerReference | undefined {
  if (execute === undefined) return undefined;
  return { handler: assembly.handler(`${place.path}/compensate@${rev}`, { execute }, `${place.pointer}/compensate`) };
}

function settingsOf(settings: unknown, place: NodePlace, assembly: Assembly, validator: Validator | undefined) {
  const pointer = `${place.pointer}/with`;
  const read = toJsonValue(settings ?? {}, pointer);
  if (!read.ok) {
    assembly.fault('InvalidValue', read.pointer, `What is set is ${read.message}.`, read.hint);
    return undefined;
  }
  if (validator !== undefined) assembly.faults.push(...checkSettings(read.value, validator, pointer));
  return settings === undefined ? undefined : (read.value as JsonObject);
}

type Request = AskRequest | AskWithForm<StandardSchemaV1>;

function splitRequest(options: AskNodeOptions & Request): [Request, NodeOptions] {
  const keys: ReadonlySet<string> = new Set(REQUEST_KEYS);
  const entries = Object.entries(options);
  const request = entries.filter(([key]) => keys.has(key));
  const common = entries.filter(([key]) => !keys.has(key));
  return [Object.fromEntries(request) as unknown as Request, Object.fromEntries(common)];
}

function requestOf(request: Request, pointer: string, assembly: Assembly) {
  const { definition, faults } = toRequestDefinition(request);
  assembly.faults.push(...faults.map(fault => ({ ...fault, pointer: pointer + fault.pointer })));
  return definition;
}

function waitNode(options: NodeOptions & WaitOptions, place: NodePlace, assembly: Assembly): NodeDefinition {
  if (!('first' in options)) return { type: 'wait', ...commonOf(carrying(options, place.pointer, assembly)) };
  const { first, ...common } = options;
  const members = Object.entries(first).map(([name, member]): [string, WaitFor] => [
    name,
    'ask' in member
      ? { ask: requestOf(member.ask, `${pointerTo(`${place.pointer}/first`, name)}/ask`, assembly) }
      : carrying(member, pointerTo(`${place.pointer}/first`, name), assembly),
  ]);
  return { type: 'wait', ...commonOf(common), first: Object.fromEntries(members) };
}

type Carrying<Wait> = Wait extends { readonly signal: string }
  ? Omit<Wait, 'schema'> & { readonly schema?: JsonObject }
  : Wait;

/** With a signal's schema as JSON Schema, by which senders are refused. */
function carrying<Wait extends object>(wait: Wait, pointer: string, assembly: Assembly): Carrying<Wait> {
  const { schema, ...rest } = wait as Wait & { readonly schema?: StandardSchemaV1 };
  const sent = schema === undefined ? {} : present({ schema: assembly.sent(schema, `${pointer}/schema`) });
  return { ...rest, ...sent } as unknown as Carrying<Wait>;
}

function bodyOf(
  body: MapOptions['body'],
  share: readonly string[] | undefined,
  { path, pointer }: NodePlace,
  assembly: Assembly,
): MapNode['body'] {
  if (isGraph(body)) return present({ graph: assembly.subgraph(body, pointer), share });
  return { node: nodeDefinition(body, { path: `${path}/body`, pointer: `${pointer}/body/node` }, assembly) };
}
