import { pointerTo } from '../error/fault.ts';
import { BOOL, STRING } from '../expression/expr-type.ts';
import type { ExpressionCompiler } from '../graph/expression-compiler.ts';
import { compileJsonSchema } from '../schema/json-schema.ts';
import { parseDuration } from '../time/duration.ts';
import type { CompiledTool } from './compiled-contract.ts';
import { TOOL_DEFAULTS } from './defaults.ts';
import type { ContractDefinition } from './definition.ts';
import type { ContractEnvironment, ContractTypes } from './environment.ts';
import { compileTextTemplate } from './text-template.ts';

export interface ToolCompilation {
  readonly contract: ContractDefinition;
  readonly environment: ContractEnvironment;
  readonly compiler: ExpressionCompiler;
  readonly types: ContractTypes;
}

export function compileTool(name: string, { contract, environment, compiler, types }: ToolCompilation): CompiledTool {
  const definition = contract.tools[name]!;
  const pointer = pointerTo('/tools', name);
  const { when, approval, idempotencyKey, compensate, bridge, output } = definition;
  const before = environment.call(name);
  const after = environment.result(name);
  const compile = (source: string | undefined, place: string, ...how: [typeof before, typeof BOOL?]) =>
    source === undefined ? undefined : compiler.compile(source, `${pointer}${place}`, ...how);
  const whenGiven = <Key extends string, Value>(key: Key, value: Value | undefined) =>
    (value === undefined ? {} : { [key]: value }) as { readonly [K in Key]?: Value };
  return Object.freeze({
    name,
    definition,
    input: compileJsonSchema(definition.input),
    ...whenGiven('output', output && compileJsonSchema(output)),
    ...whenGiven('when', compile(when, '/when', environment.facts(), BOOL)),
    bind: Object.entries(definition.bind).map(([bound, source]) => ({
      pointer: bound,
      expression: compiler.compile(source, pointerTo(`${pointer}/bind`, bound), before),
    })),
    ...whenGiven('approvalWhen', compile(approval?.when, '/approval/when', before, BOOL)),
    ...whenGiven('idempotencyKey', compile(idempotencyKey, '/idempotencyKey', before, STRING)),
    timeout: parseDuration(definition.timeout ?? TOOL_DEFAULTS.timeout),
    writes: compiler.compileMap(definition.writes, `${pointer}/writes`, after, key => writtenType(types, key))!,
    ...whenGiven(
      'compensate',
      compensate && {
        tool: compensate.tool,
        args: compiler.compileMap(compensate.args, `${pointer}/compensate/args`, after)!,
      },
    ),
    ...whenGiven(
      'bridge',
      bridge?.template === undefined
        ? undefined
        : compileTextTemplate(bridge.template, `${pointer}/bridge/template`, after, compiler),
    ),
  });
}

/** Reducers that take another kind of value than the key has are not known here, so only scalars are held to it. */
function writtenType({ state }: ContractTypes, key: string) {
  if (state?.kind !== 'object' || !Object.hasOwn(state.props, key)) return undefined;
  const { type } = state.props[key]!;
  return ['bool', 'int', 'double', 'string'].includes(type.kind) ? type : undefined;
}
