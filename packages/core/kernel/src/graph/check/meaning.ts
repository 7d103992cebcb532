import { type Fault, pointerTo } from '../../error/fault.ts';
import type { GraphDefinition } from '../definition.ts';
import type { PlacedExpression } from '../expression-compiler.ts';
import type { CompiledGraph } from '../program.ts';
import { analyzeStructure } from '../structure.ts';
import { checkAnswerReads } from './answers.ts';
import type { Check, CheckContext } from './context.ts';
import { checkLimitQuestions, checkRetryTimes, checkTimeLimits } from './limits.ts';
import { checkLoops, checkReach } from './reach.ts';
import { checkReads } from './reads.ts';
import { checkRequests, checkWaits } from './requests.ts';
import { checkRestarts } from './restarts.ts';
import { checkRoutes } from './routes.ts';
import { checkReducers, checkShares, checkStateKeys } from './state.ts';
import { checkEntry, checkGraphNames, checkNamedNodes, checkRouteTargets } from './targets.ts';
import { checkWrites } from './writes.ts';

const CHECKS: readonly Check[] = [
  checkEntry,
  checkRouteTargets,
  checkNamedNodes,
  checkGraphNames,
  ({ structure }) => [...structure.faults],
  checkReach,
  checkLoops,
  checkRoutes,
  checkReducers,
  checkStateKeys,
  checkShares,
  checkWrites,
  checkReads,
  checkAnswerReads,
  checkRequests,
  checkWaits,
  checkRestarts,
  checkTimeLimits,
  checkRetryTimes,
  checkLimitQuestions,
];

/** What is wrong with a graph that is well shaped, and with the graphs in it; expressions are checked as they are compiled. */
export function checkMeaning(
  root: GraphDefinition,
  compiled: ReadonlyMap<string, CompiledGraph>,
  expressions: readonly PlacedExpression[],
): Fault[] {
  const check = (graph: GraphDefinition, key: string, pointer: string): Fault[] => {
    const context: CheckContext = {
      graph,
      pointer,
      root,
      expressions,
      structure: analyzeStructure(graph, pointer),
      compiled: compiled.get(key)!,
      bodies: bodiesOf(key, graph, compiled),
    };
    const inner = Object.entries(graph.graphs ?? {}).flatMap(([name, within]) =>
      check(within, key === '' ? name : `${key}/${name}`, pointerTo(`${pointer}/graphs`, name)),
    );
    return [...CHECKS.flatMap(run => run(context)), ...inner];
  };
  return check(root, '', '');
}

function bodiesOf(
  key: string,
  graph: GraphDefinition,
  compiled: ReadonlyMap<string, CompiledGraph>,
): ReadonlyMap<string, CompiledGraph> {
  const bodies = Object.keys(graph.nodes).map(name => [name, compiled.get(`${key}#${name}`)] as const);
  return new Map(bodies.flatMap(([name, body]) => (body === undefined ? [] : [[name, body] as const])));
}
