import { pointerTo } from '../error/fault.ts';
import { BOOL, DURATION, STRING, unionOf } from '../expression/expr-type.ts';
import { compileRequest, type RequestPlace, TIME } from './compile-request.ts';
import type { WaitFor, WaitNode } from './definition.ts';
import type { ExpressionCompiler } from './expression-compiler.ts';
import type { CompiledWait } from './program.ts';
import { compileTemplate } from './template.ts';

type SimpleWait = Exclude<CompiledWait, { kind: 'first' }>;

const LENGTH = unionOf([STRING, DURATION]);

export function compileWait(node: WaitNode, place: RequestPlace, compiler: ExpressionCompiler): CompiledWait {
  if (node.first === undefined) return compileOne(node, place, compiler);
  const of = Object.entries(node.first).map(([name, wait]): [string, SimpleWait] => [
    name,
    compileOne(wait, { ...place, pointer: pointerTo(`${place.pointer}/first`, name) }, compiler),
  ]);
  return { kind: 'first', of: new Map(of) };
}

/** The first of the keys counts; that there is one alone is for the check to say. */
function compileOne(wait: WaitFor | WaitNode, place: RequestPlace, compiler: ExpressionCompiler): SimpleWait {
  const { pointer, before } = place;
  if ('for' in wait && wait.for !== undefined) {
    return { kind: 'for', time: compileTemplate(wait.for, `${pointer}/for`, before, compiler, LENGTH) };
  }
  if ('until' in wait && wait.until !== undefined) {
    return { kind: 'until', time: compileTemplate(wait.until, `${pointer}/until`, before, compiler, TIME) };
  }
  if ('signal' in wait && wait.signal !== undefined) return { kind: 'signal', signal: wait.signal };
  if ('ask' in wait) {
    const request = compileRequest(wait.ask, { ...place, pointer: `${pointer}/ask` }, compiler);
    return { kind: 'ask', request };
  }
  const when = 'when' in wait && wait.when !== undefined ? wait.when : 'false';
  return { kind: 'when', when: compiler.compile(when, `${pointer}/when`, before, BOOL) };
}
