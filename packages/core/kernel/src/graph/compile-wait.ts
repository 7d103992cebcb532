import { pointerTo } from '../error/fault.ts';
import { BOOL, DURATION, STRING, unionOf } from '../expression/expr-type.ts';
import { isJsonObject } from '../json/value.ts';
import { compileJsonSchema } from '../schema/json-schema.ts';
import type { Validator } from '../schema/validator.ts';
import type { CompileContext } from './compile-context.ts';
import { compileRequest, type RequestPlace, TIME } from './compile-request.ts';
import type { WaitFor, WaitNode } from './definition.ts';
import type { ExpressionCompiler } from './expression-compiler.ts';
import type { CompiledWait, GraphCode } from './program.ts';
import { compileTemplate } from './template.ts';

interface Parts {
  readonly compiler: ExpressionCompiler;
  readonly validators: GraphCode['validators'];
}

type SimpleWait = Exclude<CompiledWait, { kind: 'first' }>;

const LENGTH = unionOf([STRING, DURATION]);

export function compileWait(
  node: WaitNode,
  place: RequestPlace,
  { compiler, code }: Pick<CompileContext, 'compiler' | 'code'>,
): CompiledWait {
  const parts = { compiler, validators: code?.validators };
  if (node.first === undefined) return compileOne(node, place, parts);
  const of = Object.entries(node.first).map(([name, wait]): [string, SimpleWait] => [
    name,
    compileOne(wait, { ...place, pointer: pointerTo(`${place.pointer}/first`, name) }, parts),
  ]);
  return { kind: 'first', of: new Map(of) };
}

/** The first of the keys counts; that there is one alone is for the check to say. */
function compileOne(wait: WaitFor | WaitNode, place: RequestPlace, { compiler, validators }: Parts): SimpleWait {
  const { pointer, before } = place;
  if ('for' in wait && wait.for !== undefined) {
    return { kind: 'for', time: compileTemplate(wait.for, `${pointer}/for`, before, compiler, LENGTH) };
  }
  if ('until' in wait && wait.until !== undefined) {
    return { kind: 'until', time: compileTemplate(wait.until, `${pointer}/until`, before, compiler, TIME) };
  }
  if ('signal' in wait && wait.signal !== undefined) {
    const { signal, schema } = wait;
    if (schema === undefined) return { kind: 'signal', signal };
    const carries = validators?.get(`${pointer}/schema`) ?? compileJsonSchema(schema);
    return { kind: 'signal', signal, schema, carries };
  }
  if ('ask' in wait) {
    const request = compileRequest(wait.ask, { ...place, pointer: `${pointer}/ask` }, compiler);
    return { kind: 'ask', request };
  }
  const when = 'when' in wait && wait.when !== undefined ? wait.when : 'false';
  return { kind: 'when', when: compiler.compile(when, `${pointer}/when`, before, BOOL) };
}

/** Of what a wait gives out, where a signal has a schema: what came out of that stands in the output. */
export function waitOutput(wait: CompiledWait): Validator | undefined {
  if (wait.kind === 'signal') return wait.carries;
  if (wait.kind !== 'first') return undefined;
  const carries = new Map<string, Validator>();
  for (const [name, member] of wait.of)
    if (member.kind === 'signal' && member.carries !== undefined) carries.set(name, member.carries);
  return carries.size === 0 ? undefined : winnerOutput(carries);
}

function winnerOutput(carries: ReadonlyMap<string, Validator>): Validator {
  return {
    json: {},
    stored: {},
    validate: output => {
      const { winner = null, value = null } = isJsonObject(output) ? output : {};
      const result = carries.get(String(winner))?.validate(value);
      if (result === undefined) return { ok: true, value: output };
      if (result.ok) return { ok: true, value: { winner, value: result.value } };
      return { ok: false, issues: result.issues.map(issue => ({ ...issue, pointer: `/value${issue.pointer}` })) };
    },
  };
}
