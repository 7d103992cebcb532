import { pointerTo } from '../error/fault.ts';
import { BOOL, type ExprType, STRING } from '../expression/expr-type.ts';
import { sensitiveParts } from '../gate/sensitive-parts.ts';
import type { ExpressionMap } from '../graph/program.ts';
import { checkedJsonSchema } from '../schema/json-schema.ts';
import { parseDuration } from '../time/duration.ts';
import type { CompiledTool } from './compiled-contract.ts';
import { TOOL_DEFAULTS } from './defaults.ts';
import type { ContractDefinition, ToolContract } from './definition.ts';
import type { ContractEnvironment, ContractTypes } from './environment.ts';
import type { Env, ExpressionMaker } from './expression-maker.ts';

export interface ToolCompilation {
  readonly contract: ContractDefinition;
  readonly environment: ContractEnvironment;
  readonly maker: ExpressionMaker;
  readonly types: ContractTypes;
}

export function compileTool(name: string, { contract, environment, maker, types }: ToolCompilation): CompiledTool {
  const definition = contract.tools[name]!;
  const pointer = pointerTo('/tools', name);
  const { when, output } = definition;
  return Object.freeze({
    name,
    definition,
    input: checkedJsonSchema(definition.input),
    ...(output === undefined ? {} : { output: checkedJsonSchema(output) }),
    sensitive: sensitiveParts(definition.sensitive, definition.input),
    sensitiveOutput: sensitiveParts(definition.sensitiveOutput, output),
    ...(when === undefined ? {} : { when: maker.expression(when, `${pointer}/when`, environment.facts, BOOL) }),
    timeout: parseDuration(definition.timeout ?? TOOL_DEFAULTS.timeout),
    ...beforeCall(definition, pointer, () => environment.call(name), maker),
    ...afterCall(definition, { pointer, env: () => environment.result(name), maker, types }),
  });
}

function beforeCall(
  { bind, approval, idempotencyKey }: ToolContract,
  pointer: string,
  env: Env,
  maker: ExpressionMaker,
): Pick<CompiledTool, 'bind' | 'approvalWhen' | 'idempotencyKey'> {
  const when = approval?.when;
  return {
    bind: Object.entries(bind).map(([bound, source]) => ({
      pointer: bound,
      expression: maker.expression(source, pointerTo(`${pointer}/bind`, bound), env),
    })),
    ...(when === undefined ? {} : { approvalWhen: maker.expression(when, `${pointer}/approval/when`, env, BOOL) }),
    ...(idempotencyKey === undefined
      ? {}
      : { idempotencyKey: maker.expression(idempotencyKey, `${pointer}/idempotencyKey`, env, STRING) }),
  };
}

interface AfterCall extends Pick<ToolCompilation, 'maker' | 'types'> {
  readonly pointer: string;
  readonly env: Env;
}

function afterCall(
  { writes, compensate, bridge }: ToolContract,
  { pointer, env, maker, types }: AfterCall,
): Pick<CompiledTool, 'writes' | 'compensate' | 'bridge'> {
  const mapOf = (
    sources: Readonly<Record<string, string>>,
    place: string,
    expected?: (key: string) => ExprType | undefined,
  ) =>
    new Map(
      Object.entries(sources).map(([key, source]) => [
        key,
        maker.expression(source, pointerTo(place, key), env, expected?.(key)),
      ]),
    ) satisfies ExpressionMap;
  const template = bridge?.template;
  return {
    writes: mapOf(writes, `${pointer}/writes`, key => writtenType(types, key)),
    ...(compensate === undefined
      ? {}
      : { compensate: { tool: compensate.tool, args: mapOf(compensate.args, `${pointer}/compensate/args`) } }),
    ...(template === undefined ? {} : { bridge: maker.template(template, `${pointer}/bridge/template`, env) }),
  };
}

/** Reducers that take another kind of value than the key has are not known here, so only scalars are held to it. */
function writtenType({ state }: ContractTypes, key: string): ExprType | undefined {
  if (state?.kind !== 'object' || !Object.hasOwn(state.props, key)) return undefined;
  const { type } = state.props[key]!;
  return ['bool', 'int', 'double', 'string'].includes(type.kind) ? type : undefined;
}
