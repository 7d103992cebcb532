import { SignalboxError } from '../../error/error.ts';
import type { Fault } from '../../error/fault.ts';
import { BOOL, DYN } from '../../expression/expr-type.ts';
import { compileExpression, type ExprEnv, type Expression } from '../../expression/expression.ts';
import { checkRequestShape } from '../../graph/check/check-request.ts';
import { requestFaults } from '../../graph/check/request-meaning.ts';
import { compileRequest } from '../../graph/compile-request.ts';
import { ExpressionCompiler } from '../../graph/expression-compiler.ts';
import type { CompiledRequest, Program } from '../../graph/program.ts';
import type { RequestDefinition } from '../../request/definition.ts';
import { DOUBT_REQUEST } from '../../request/doubt.ts';
import type { RequestState } from '../request-state.ts';
import type { Run } from '../run.ts';

/** What the definition of an open request says, whether its node, its handler or the engine asks. */
export function requestOf(program: Program, run: Run, request: RequestState): CompiledRequest {
  if (request.definition !== undefined) return adHocRequest(request.definition).compiled;
  if (request.about === 'doubt') return adHocRequest(DOUBT_REQUEST).compiled;
  const token = run.tokens.get(request.token);
  const node = token === undefined ? undefined : program.graphs.get(token.graph)?.nodes.get(request.node);
  if (node?.request === undefined) throw new Error(`Request ${request.id} has no definition.`);
  return node.request;
}

const VARIABLES = ['input', 'state', 'output', 'nodes', 'session', 'answers', 'run', 'now', 'item', 'index'];
const OPEN: ExprEnv = { variables: Object.fromEntries(VARIABLES.map(name => [name, DYN])) };

interface AdHoc {
  readonly compiled: CompiledRequest;
  readonly faults: readonly Fault[];
}

/** Compiled once for as long as somebody holds the definition. */
const compiledRequests = new WeakMap<RequestDefinition, AdHoc>();

/** A request that a handler makes up while it runs. Nothing is known of the state's types, so nothing is refused for them. */
export function adHocRequest(definition: RequestDefinition): AdHoc {
  const known = compiledRequests.get(definition);
  if (known !== undefined) return known;
  const compiler = new ExpressionCompiler();
  const place = { pointer: '', before: OPEN, after: OPEN, zone: 'UTC', stateType: () => DYN };
  const compiled = compileRequest(definition, place, compiler);
  const made = { compiled, faults: compiler.faults.filter(fault => fault.severity === 'error') };
  compiledRequests.set(definition, made);
  return made;
}

/**
 * One that a handler puts now. What is wrong with it is the handler's fault, all of it told at once.
 * @throws SignalboxError `InvalidRequest`
 */
export function madeUpRequest(definition: RequestDefinition): CompiledRequest {
  const shape = checkRequestShape(definition, '').faults.filter(fault => fault.severity === 'error');
  const made = shape.length > 0 ? undefined : adHocRequest(definition);
  const faults = made === undefined ? shape : [...made.faults, ...errorsOf(definition, made.compiled)];
  if (made !== undefined && faults.length === 0) return made.compiled;
  const told = faults.map(fault => `${fault.pointer || '/'}: ${fault.message}`).join('; ');
  throw new SignalboxError('InvalidRequest', `The question is not well put: ${told}`, {
    details: { faults: faults.map(({ pointer, code, message }) => ({ pointer, code, message })) },
  });
}

function errorsOf(definition: RequestDefinition, { fields }: CompiledRequest): readonly Fault[] {
  return requestFaults(definition, '', fields).filter(fault => fault.severity === 'error');
}

const conditions = new Map<string, Expression>();
const MOST_CONDITIONS = 500;

/** A condition that a handler waits for. Throws `InvalidCondition` when it does not compile. */
export function adHocCondition(source: string): Expression {
  const known = conditions.get(source);
  if (known !== undefined) return known;
  const { expression, faults } = compileExpression(source, OPEN, BOOL);
  if (expression === undefined)
    throw new SignalboxError(
      'InvalidCondition',
      `The condition "${source}" is not valid: ${faults.map(fault => fault.message).join('; ')}`,
    );
  if (conditions.size >= MOST_CONDITIONS) conditions.clear();
  conditions.set(source, expression);
  return expression;
}
