import {
  closest,
  type Fault,
  type GraphDefinition,
  type HandlerReference,
  type JsonObject,
  jsonEqual,
  type NodeDefinition,
  normalizedSchema,
  pointerTo,
} from '@signalbox/kernel';
import { Assembly } from './assembly.ts';
import { finishGraph } from './compile.ts';
import type { Graph } from './graph.ts';
import { checkSettings, type NodeType } from './node-type.ts';

export interface GraphFromDefinitionOptions {
  /** Folder that relative paths in the definition, such as those of contracts, are relative to; default: where the process runs. */
  readonly folder?: string;
}

/**
 * A graph from data, such as a loaded file, with the code of its registered node types.
 * @throws SignalboxError `InvalidGraph` with all faults, among them node types that are not given.
 */
export function graphFromDefinition(
  definition: GraphDefinition,
  types: readonly NodeType[],
  { folder }: GraphFromDefinitionOptions = {},
): Graph {
  const assembly = new Assembly(definition.name);
  const byKey = new Map(types.map(type => [type.key, type]));
  for (const type of types) {
    const known = byKey.get(type.key);
    if (known !== type) {
      assembly.fault('DuplicateHandler', '', `Two different node types have the key \`${type.key}\`.`, 'Raise `rev`.');
    }
  }
  bindGraph(definition, '', byKey, assembly);
  const { code, handlers, faults } = assembly;
  return finishGraph({ definition, code, handlers, faults, ...(folder === undefined ? {} : { folder }) });
}

type Types = ReadonlyMap<string, NodeType>;

function bindGraph(graph: GraphDefinition, base: string, types: Types, assembly: Assembly): void {
  for (const [name, node] of Object.entries(graph.nodes)) {
    bindNode(node, pointerTo(`${base}/nodes`, name), types, assembly);
  }
  for (const [name, inner] of Object.entries(graph.graphs ?? {})) {
    bindGraph(inner, pointerTo(`${base}/graphs`, name), types, assembly);
  }
}

function bindNode(node: NodeDefinition, pointer: string, types: Types, assembly: Assembly): void {
  if (node.compensate !== undefined) bindHandler(node.compensate, `${pointer}/compensate`, types, assembly);
  if (node.type === 'map' && 'node' in node.body) bindNode(node.body.node, `${pointer}/body/node`, types, assembly);
  if (node.type !== 'step') return;
  const type = bindHandler(node, pointer, types, assembly);
  if (type?.output === undefined || node.output === undefined) return;
  const own = assembly.validator(type.output, `${pointer}/output`);
  if (own !== undefined && isSame(own.json, node.output)) assembly.validators.set(`${pointer}/output`, own);
}

function bindHandler(
  { handler, with: settings }: HandlerReference,
  pointer: string,
  types: Types,
  assembly: Assembly,
): NodeType | undefined {
  const type = types.get(/@\d+$/.test(handler) ? handler : `${handler}@1`);
  if (type === undefined) {
    assembly.faults.push(unknownType(handler, `${pointer}/handler`, [...types.keys()]));
    return undefined;
  }
  assembly.handler(type.key, type.handler, pointer);
  const validator = type.handler.settings;
  if (validator !== undefined) assembly.faults.push(...checkSettings(settings ?? {}, validator, `${pointer}/with`));
  return type;
}

function unknownType(handler: string, pointer: string, registered: readonly string[]): Fault {
  const meant = closest(handler, registered);
  const known =
    registered.length === 0 ? 'No type is registered.' : `Registered are ${[...registered].sort().join(', ')}.`;
  return {
    code: 'UnknownNodeType',
    severity: 'error',
    pointer,
    message: `There is no handler \`${handler}\` here.`,
    hint: meant === undefined ? known : `Did you mean \`${meant}\`? ${known}`,
  };
}

/** The loader puts a type's own output schema where a node has none; only then is the type's validator the node's. */
function isSame(own: JsonObject, written: JsonObject): boolean {
  return jsonEqual(normalizedSchema(own), normalizedSchema(written));
}
