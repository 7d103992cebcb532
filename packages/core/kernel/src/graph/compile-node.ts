import { compileBudget } from '../budget/compile-budget.ts';
import { pointerTo } from '../error/fault.ts';
import { BOOL, DOUBLE, DYN, type ExprType, listOf, STRING, unionOf } from '../expression/expr-type.ts';
import type { ExprEnv, Expression } from '../expression/expression.ts';
import { compileJsonSchema } from '../schema/json-schema.ts';
import { parseDuration } from '../time/duration.ts';
import type { CompileContext } from './compile-context.ts';
import { compileRequest, type RequestPlace } from './compile-request.ts';
import { compileWait, waitOutput } from './compile-wait.ts';
import { NODE_DEFAULTS, RETRY_DEFAULTS, withRevision } from './defaults.ts';
import type { HandlerReference, NodeDefinition, RetryPolicy } from './definition.ts';
import { limitQuestion } from './limit-question.ts';
import type { CompiledDecides, CompiledNode, CompiledRetry, CompiledRoute } from './program.ts';
import { compileTemplate } from './template.ts';

/** Where a node stands, and what its expressions may name before and after it ran. */
export interface NodePlace {
  readonly name: string;
  readonly pointer: string;
  readonly before: ExprEnv;
  readonly after: ExprEnv;
  /** And for what it says, when its own `update` is written. */
  readonly said: ExprEnv;
  readonly routes: readonly CompiledRoute[];
  readonly restartTarget: boolean;
  /** Key of the graph that a map or subgraph runs. */
  readonly graph: string | undefined;
}

export function compileNode(definition: NodeDefinition, place: NodePlace, context: CompileContext): CompiledNode {
  const { name, pointer, before, after, said, routes, restartTarget, graph } = place;
  const { compiler } = context;
  const limits = { ...context.graph.limits, ...definition.limits };
  const update = (key: string) => context.writeType(key);
  return {
    name,
    definition,
    routes,
    restartTarget,
    graph,
    input: compiler.compileMap(definition.input, `${pointer}/input`, before),
    update: compiler.compileMap(definition.update, `${pointer}/update`, after, update),
    say: definition.say === undefined ? undefined : compileTemplate(definition.say, `${pointer}/say`, said, compiler),
    decides: compileDecides(definition, place, context),
    retry: definition.retry && compileRetry(definition.retry),
    timeout: milliseconds(definition.timeout),
    deadline: milliseconds(definition.deadline),
    lastGoodMaxAge: milliseconds(definition.fallback?.lastGood?.maxAge),
    fallbackNode: definition.fallback?.node,
    maxVisits: limits.maxVisits ?? NODE_DEFAULTS.maxVisits,
    maxSuccessive: limits.maxSuccessive,
    budget: compileBudget(definition.limits?.budget),
    limitQuestion: limitQuestion(limits.onReached),
    join: definition.join ?? (definition.type === 'join' ? 'all' : undefined),
    compensate: definition.compensate && reference(definition.compensate),
    ...byType(definition, place, context),
  };
}

type TypeParts = Pick<CompiledNode, 'values' | 'output' | 'handler' | 'request' | 'wait' | 'items' | 'failMessage'>;

const NOTHING: TypeParts = {
  values: undefined,
  output: undefined,
  handler: undefined,
  request: undefined,
  wait: undefined,
  items: undefined,
  failMessage: undefined,
};

function byType(node: NodeDefinition, place: NodePlace, context: CompileContext): TypeParts {
  const { pointer, before } = place;
  const { compiler } = context;
  switch (node.type) {
    case 'step': {
      const own = context.code?.validators?.get(`${pointer}/output`);
      const output = own ?? (node.output && compileJsonSchema(node.output));
      return { ...NOTHING, handler: reference(node), output };
    }
    case 'ask': {
      const request = compileRequest(node.request, requestPlace(place, context, `${pointer}/request`), compiler);
      return { ...NOTHING, request };
    }
    case 'transform':
      return { ...NOTHING, values: compiler.compileMap(node.output, `${pointer}/output`, before) };
    case 'wait': {
      const wait = compileWait(node, requestPlace(place, context, pointer), context);
      return { ...NOTHING, wait, output: waitOutput(wait) };
    }
    case 'map':
      return { ...NOTHING, items: compiler.compile(node.items, `${pointer}/items`, before, listOf(DYN)) };
    case 'fail': {
      const message = node.message;
      if (message === undefined) return NOTHING;
      const at = `${pointer}/message`;
      return { ...NOTHING, failMessage: compileTemplate(message, at, before, compiler, STRING) };
    }
    case 'subgraph':
    case 'join':
      return NOTHING;
  }
}

function requestPlace({ before, after }: NodePlace, context: CompileContext, pointer: string): RequestPlace {
  const stateType = (key: string): ExprType | undefined => context.valueType(key);
  return { pointer, before, after, zone: context.graph.zone ?? NODE_DEFAULTS.zone, stateType };
}

function compileDecides(
  { decides }: NodeDefinition,
  { pointer, after }: NodePlace,
  { compiler }: CompileContext,
): CompiledDecides | undefined {
  if (decides === undefined) return undefined;
  const part = (key: 'confidence' | 'reason' | 'options', type: ExprType): Expression | undefined => {
    const source = decides[key];
    return typeof source === 'string' ? compiler.compile(source, `${pointer}/decides/${key}`, after, type) : undefined;
  };
  return {
    point: decides.point,
    chosen: compiler.compile(decides.chosen, pointerTo(`${pointer}/decides`, 'chosen'), after),
    confidence: part('confidence', DOUBLE),
    reason: part('reason', STRING),
    options: typeof decides.options === 'string' ? part('options', listOf(unionOf([DYN]))) : decides.options,
  };
}

function compileRetry(policy: RetryPolicy): CompiledRetry {
  return {
    attempts: policy.attempts,
    backoff: milliseconds(policy.backoff) ?? RETRY_DEFAULTS.backoff,
    factor: policy.factor ?? RETRY_DEFAULTS.factor,
    maxBackoff: milliseconds(policy.maxBackoff) ?? RETRY_DEFAULTS.maxBackoff,
    jitter: policy.jitter ?? RETRY_DEFAULTS.jitter,
    on: policy.on && new Set(policy.on),
  };
}

/** A guard of the routes: bool, with the node's output and own writes in sight. */
export function compileGuard(source: string, pointer: string, env: ExprEnv, { compiler }: CompileContext): Expression {
  return compiler.compile(source, pointer, env, BOOL);
}

function reference({ handler, with: settings }: HandlerReference): HandlerReference {
  return { handler: withRevision(handler), ...(settings === undefined ? {} : { with: settings }) };
}

function milliseconds(text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseDuration(text);
}
