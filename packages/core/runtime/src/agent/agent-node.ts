import {
  type Bound,
  budgetLeft,
  type CompiledContract,
  type ContractBudgets,
  type JsonValue,
  type Program,
  type Run,
  SignalboxError,
  visibleAnswers,
} from '@signalbox/kernel';
import type { ModelPort, SecretSource, Tool } from '@signalbox/ports';
import { VisitFacts } from '../gate/gate-facts.ts';
import { answersText } from '../journal/answers-text.ts';
import type { TaskExecution } from '../journal/execution.ts';
import type { Performer } from '../journal/performer.ts';
import type { AgentSpec } from './agent-spec.ts';
import { type ModelRecords, RequestRecords } from './request-record.ts';
import { AgentLoop } from './run-agent.ts';

/** An agent as its node says it: the contract by the reference that the run is pinned under. */
export interface AgentNode extends Omit<AgentSpec, 'contract'> {
  readonly contract: string;
  readonly tool: (name: string) => Tool | undefined;
  /** All there are, in the contract or not. */
  readonly known: readonly string[];
}

/** What agents need of the process they run in. */
export interface AgentWorld {
  readonly models: ModelPort | undefined;
  readonly secrets: SecretSource;
  /** What the log keeps of requests to models; default `full`. */
  readonly records?: ModelRecords | undefined;
  contract(hash: string): Promise<CompiledContract>;
  program(version: string): Promise<Program>;
  shared(run: Run, budgets: ContractBudgets): Promise<readonly Bound[]>;
  /** The bound on the calls of a tool in the session of the run; undefined where it has none. */
  inSession(run: Run, tool: string, most: number): Promise<Bound | undefined>;
  /** Partial text of a reply; never a fact. */
  text?(where: { readonly runId: string; readonly node: string }, delta: string): void;
}

export async function runAgentNode(
  execution: TaskExecution,
  run: Run,
  node: AgentNode,
  world: AgentWorld,
  spare: Performer | undefined,
): Promise<JsonValue> {
  const hash = run.contracts?.[node.contract];
  if (hash === undefined) throw notPinned(node.contract);
  const contract = await world.contract(hash);
  const { token, task } = execution;
  const program = await world.program(run.version);
  const keys = program.graphs.get(token.graph)?.state ?? new Map();
  const facts = new VisitFacts(execution, run, contract, { keys, view: task.execution?.state ?? token.state });
  const where = { runId: run.id, node: task.node };
  const onText = world.text === undefined ? undefined : (delta: string) => world.text?.(where, delta);
  const loop = new AgentLoop(
    execution,
    { ...node, contract },
    {
      facts,
      tool: node.tool,
      secrets: world.secrets,
      gate: { zone: run.zone, known: node.known },
      answersText: answersText(visibleAnswers(run, token)),
      shared: budgets => world.shared(execution.current(), budgets),
      inSession: (tool, most) => world.inSession(execution.current(), tool, most),
      left: bounds => budgetLeft(program, execution.current(), task, bounds),
      models: world.models,
      records: new RequestRecords(node.record ?? world.records ?? 'full', node.prompts),
      spare,
      ...(onText === undefined ? {} : { onText }),
    },
  );
  return await loop.run();
}

function notPinned(reference: string): SignalboxError {
  return new SignalboxError('UnknownContract', `The run is not pinned to the contract "${reference}".`, {
    hint: 'It began before its graph had this agent: fork or start it anew.',
    details: { contract: reference },
  });
}
