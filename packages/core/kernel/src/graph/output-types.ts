import {
  DYN,
  type ExprType,
  INT,
  listOf,
  mapOf,
  NULL,
  objectOf,
  STRING,
  TIMESTAMP,
  unionOf,
} from '../expression/expr-type.ts';
import { compileExpression } from '../expression/expression.ts';
import { typeOfSchema } from '../expression/schema-type.ts';
import { checkFields } from '../request/check-fields.ts';
import type { RequestDefinition } from '../request/definition.ts';
import type { GraphDefinition, NodeDefinition, WaitNode } from './definition.ts';
import { typeOfFields } from './field-types.ts';
import { stateType } from './state-keys.ts';

const ACTIONS = ['approve', 'edit', 'reject', 'cancel', 'expired'];
const BRANCH = objectOf({ status: STRING, output: DYN }, { optional: ['output'] });

/** Who answered. */
const ANSWERER = objectOf({ kind: STRING, id: STRING, onBehalfOf: STRING }, { optional: ['onBehalfOf'] });

export const ERROR = objectOf({ code: STRING, message: STRING }, { open: true });

/** Of a join, and of its own `nodes.<join>.branches`. */
export const BRANCHES = listOf(BRANCH);

const TALLY = objectOf({ calls: INT, succeeded: INT, failed: INT, failedInARow: INT, refused: INT });

/** What is not there yet is null here, so that a guard can look at it at any time. */
export const RUN = objectOf(
  {
    id: STRING,
    requestId: STRING,
    session: unionOf([NULL, STRING]),
    episode: INT,
    step: INT,
    visits: mapOf(INT),
    trail: listOf(STRING),
    lastNode: unionOf([NULL, STRING]),
    error: unionOf([NULL, ERROR]),
    tools: mapOf(TALLY),
  },
  { open: true },
);

/**
 * The type of what a node gives, from what is written at the node alone: the outputs of other nodes count as `dyn`, so
 * that the type depends on no order in which nodes are looked at. (It decides whether numbers are ints or doubles.)
 */
export function outputType(node: NodeDefinition, graph: GraphDefinition): ExprType {
  const own = ownOutputType(node, graph);
  const fallback = node.fallback?.node === undefined ? undefined : graph.nodes[node.fallback.node];
  return fallback === undefined ? own : unionOf([own, ownOutputType(fallback, graph)]);
}

function ownOutputType(node: NodeDefinition, graph: GraphDefinition): ExprType {
  switch (node.type) {
    case 'step':
      return typeOfSchema(node.output);
    case 'ask':
      return answerType(node.request, graph);
    case 'transform':
      return node.output === undefined ? DYN : mapType(node.output, graph);
    case 'wait':
      return node.first === undefined ? typeOfSchema(node.schema) : winnerType(node.first);
    case 'map':
      return mapNodeType(node, graph);
    case 'subgraph':
      return graphOutputType(graph.graphs?.[node.graph]);
    case 'join':
      return BRANCHES;
    case 'fail':
      return DYN;
  }
}

export function answerType(request: RequestDefinition, graph: GraphDefinition): ExprType {
  const { fields } = checkFields(request.fields ?? [], '', {
    checkTemplate: () => [],
    ...(graph.zone === undefined ? {} : { zone: graph.zone }),
  });
  return objectOf(
    {
      action: { kind: 'string', values: ACTIONS },
      values: typeOfFields(fields),
      note: STRING,
      by: ANSWERER,
      at: STRING,
      endorsedBy: listOf(ANSWERER),
    },
    { optional: ['note', 'endorsedBy'] },
  );
}

function winnerType(first: NonNullable<WaitNode['first']>): ExprType {
  return objectOf({ winner: { kind: 'string', values: Object.keys(first) }, value: DYN });
}

function mapNodeType(node: Extract<NodeDefinition, { type: 'map' }>, graph: GraphDefinition): ExprType {
  if (node.onError === 'collect') return listOf(DYN);
  return listOf(
    'node' in node.body ? ownOutputType(node.body.node, graph) : graphOutputType(graph.graphs?.[node.body.graph]),
  );
}

function graphOutputType(graph: GraphDefinition | undefined): ExprType {
  return graph?.output === undefined ? DYN : mapType(graph.output, graph);
}

function mapType(sources: Readonly<Record<string, string>>, graph: GraphDefinition): ExprType {
  const env = { variables: plainVariables(graph) };
  return objectOf(
    Object.fromEntries(Object.entries(sources).map(([key, source]) => [key, compileExpression(source, env).type])),
  );
}

function plainVariables(graph: GraphDefinition): Record<string, ExprType> {
  return {
    input: typeOfSchema(graph.input),
    state: stateType(graph),
    output: DYN,
    nodes: DYN,
    session: DYN,
    answers: DYN,
    run: RUN,
    now: TIMESTAMP,
    item: DYN,
    index: INT,
  };
}
