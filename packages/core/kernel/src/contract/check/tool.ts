import { type Fault, pointerTo } from '../../error/fault.ts';
import type { ExprType } from '../../expression/expr-type.ts';
import { typeOfSchema } from '../../expression/schema-type.ts';
import { errorAt, hintFor, quoted, warningAt } from '../../graph/check/fault.ts';
import { checkIdentifier } from '../../graph/check/names.ts';
import { followRef } from '../../schema/refs.ts';
import type { ContractDefinition, ToolContract } from '../definition.ts';
import type { ContractTypes } from '../environment.ts';
import { leadsSomewhere } from './pointers.ts';

/** What is wrong with one tool beyond its shape and its expressions. */
export function checkTool(name: string, contract: ContractDefinition, types: ContractTypes): Fault[] {
  const tool = contract.tools[name]!;
  const pointer = pointerTo('/tools', name);
  return [
    ...checkInput(tool, pointer),
    ...checkBinds(tool, pointer),
    ...checkSensitive(tool, pointer),
    ...checkRepeats(name, tool, pointer),
    ...checkWrites(tool, pointer, types.state),
    ...checkCompensation(tool, pointer, contract),
  ];
}

function checkInput({ input }: ToolContract, pointer: string): Fault[] {
  const { type } = followRef(input, input);
  if (type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object'))) return [];
  const message = 'The arguments of a tool are an object.';
  return [errorAt(`${pointer}/input/type`, 'InvalidSchema', message, 'Write `type: object` with `properties`.')];
}

function checkBinds({ bind, input }: ToolContract, pointer: string): Fault[] {
  const type = typeOfSchema(input);
  return Object.keys(bind).flatMap(bound =>
    bound !== '' && leadsSomewhere(bound, type)
      ? []
      : [nowhere(bound, pointerTo(`${pointer}/bind`, bound), type, 'input')],
  );
}

function checkSensitive({ sensitive, sensitiveOutput, input, output }: ToolContract, pointer: string): Fault[] {
  const check = (pointers: readonly string[], type: ExprType, place: string, of: 'input' | 'output') =>
    pointers.flatMap((one, index) => (leadsSomewhere(one, type) ? [] : [nowhere(one, `${place}/${index}`, type, of)]));
  return [
    ...check(sensitive, typeOfSchema(input), `${pointer}/sensitive`, 'input'),
    ...check(sensitiveOutput, typeOfSchema(output), `${pointer}/sensitiveOutput`, 'output'),
  ];
}

function nowhere(bound: string, pointer: string, type: ExprType, of: 'input' | 'output'): Fault {
  const names = type.kind === 'object' ? Object.keys(type.props) : [];
  const message = `\`${bound.replace(/^\//, '')}\` leads nowhere in the tool's ${of} schema.`;
  return errorAt(pointer, 'UnknownArgument', message, hintFor(bound.replace(/^\//, ''), names));
}

/** Without a key nobody could tell a second try from a second call. */
function checkRepeats(name: string, tool: ToolContract, pointer: string): Fault[] {
  if (tool.effect !== 'once' || tool.idempotencyKey !== undefined) return [];
  if ((tool.retry?.attempts ?? 1) > 1) {
    const message = `\`${name}\` is done at most once, so it cannot be tried again.`;
    const hint = 'Give it an `idempotency_key`, or declare `effect: read` or `repeat` if doing it twice does no harm.';
    return [errorAt(`${pointer}/retry`, 'RetryWithoutKey', message, hint)];
  }
  if (tool.approval !== undefined) return [];
  const message = `\`${name}\` is done at most once, and nobody is asked for it: after a crash it may be in doubt.`;
  const hint = 'Declare `effect: read` if it changes nothing; else give it an `idempotency_key` or an `approval`.';
  return [warningAt(pointer, 'UnguardedOnce', message, hint)];
}

function checkWrites({ writes }: ToolContract, pointer: string, state: ExprType | undefined): Fault[] {
  return Object.keys(writes).flatMap(key => {
    const place = pointerTo(`${pointer}/writes`, key);
    const unfit = checkIdentifier(key, place);
    if (unfit.length > 0 || state?.kind !== 'object' || state.open || Object.hasOwn(state.props, key)) return unfit;
    const message = `The state has no key \`${key}\`.`;
    return [warningAt(place, 'UnknownStateKey', message, hintFor(key, Object.keys(state.props)))];
  });
}

function checkCompensation({ compensate }: ToolContract, pointer: string, { tools }: ContractDefinition): Fault[] {
  if (compensate === undefined) return [];
  const place = `${pointer}/compensate`;
  if (!Object.hasOwn(tools, compensate.tool)) {
    return [unknownTool(compensate.tool, `${place}/tool`, tools)];
  }
  const by = tools[compensate.tool]!;
  if (by.effect === 'once' && by.idempotencyKey === undefined) {
    const message = `\`${compensate.tool}\` is done at most once, but what undoes something may have to be tried again.`;
    const hint = 'Give it an `idempotency_key`, or declare `effect: repeat` if doing it twice does no harm.';
    return [errorAt(`${place}/tool`, 'CompensationOnce', message, hint)];
  }
  const type = typeOfSchema(by.input);
  const given = Object.keys(compensate.args);
  const unknown = given
    .filter(key => !leadsSomewhere(pointerTo('', key), type))
    .map(key => nowhere(key, pointerTo(`${place}/args`, key), type, 'input'));
  const missing =
    type.kind === 'object'
      ? Object.keys(type.props).filter(key => !type.props[key]!.optional && !given.includes(key))
      : [];
  if (missing.length === 0) return unknown;
  const message = `\`${compensate.tool}\` needs ${quoted(missing)}.`;
  return [...unknown, errorAt(place, 'MissingKey', message, 'Say under `args` what it gets.')];
}

export function unknownTool(name: string, pointer: string, tools: ContractDefinition['tools']): Fault {
  return errorAt(pointer, 'UnknownTool', `The contract has no tool \`${name}\`.`, hintFor(name, Object.keys(tools)));
}
