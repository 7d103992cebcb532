import { defineNodeType, type Graph, graphFromDefinition } from '@signalbox/core';
import type { GraphDefinition, NodeDefinition, RequestDefinition, RouteDefinition } from '@signalbox/kernel';

/** Where in a graph the run is parked. `chained`: at two questions, one after the other. */
export type Place = 'plain' | 'subgraph' | 'branch' | 'item' | 'chained';
export type Mode = 'continue' | 'restart';

/** Which graph a process has the code of. */
export interface ParkedPlan {
  readonly place: Place;
  readonly mode: Mode;
  /** What came after the run had begun: other questions, and one more node behind them. */
  readonly changed: boolean;
}

export const DAY = 86_400_000;
/** How long a question may be answered, ms. */
export const PATIENCE = 60 * DAY;
export const GREATEST_AMOUNT = 500;
/** The one item or branch beside it included: how many tokens get to the questions. */
export const ASKERS: Readonly<Record<Place, number>> = { plain: 1, subgraph: 1, branch: 1, item: 2, chained: 1 };

/** Effects that a run does once for each asker, and once for itself, when all goes well. */
export const BEFORE = 'book';
export const AFTER = 'settle';
export const AFTER_SILENCE = 'late';
export const AROUND: Readonly<Record<Place, readonly string[]>> = {
  plain: [],
  subgraph: ['open', 'close'],
  branch: ['open', 'other', 'close'],
  item: ['open', 'close'],
  chained: [],
};
/** Stands in the changed graph alone. */
export const ONLY_CHANGED = 'audit';

/**
 * The graph of one place and mode: a `once` effect, a question (or two), a `once` effect that knows the answer. `mark` is
 * how an effect leaves its mark outside.
 */
export function parkedGraph(plan: ParkedPlan, mark: (line: string) => void): Graph {
  const effect = defineNodeType({
    type: 'parked-effect',
    async execute({ run, state, with: { name } }) {
      const amount = state.amount ?? null;
      await run(String(name), () => mark(`${run.id} ${name} ${JSON.stringify(amount)}`), { once: true });
      return amount;
    },
  });
  return graphFromDefinition(DEFINITIONS[plan.place](plan), [effect]);
}

type Part = Pick<GraphDefinition, 'nodes' | 'routes'>;

const STATE: GraphDefinition['state'] = { amount: { schema: { type: 'number' } } };
const COMMON = { input: {}, state: STATE } as const;

const effect = (name: string): NodeDefinition => ({
  type: 'step',
  handler: 'parked-effect@1',
  with: { name },
  timeout: '1m',
});

/** From the first effect to the last; `next` is what follows, when it is not the end. */
function work({ place, mode, changed }: ParkedPlan, next: string = 'end'): Part {
  const chained = place === 'chained';
  const behind: readonly RouteDefinition[] = [{ to: [changed ? ONLY_CHANGED : AFTER] }];
  const expired: RouteDefinition = { to: [AFTER_SILENCE], on: ['expired'] };
  const answered = chained ? [{ to: ['reason'] }] : behind;
  return {
    nodes: {
      [BEFORE]: effect(BEFORE),
      amount: { type: 'ask', request: amountOf(mode, changed), update: { amount: 'output.values.amount' } },
      ...(chained ? { reason: { type: 'ask', request: reasonOf(mode) } } : {}),
      [AFTER]: effect(AFTER),
      [AFTER_SILENCE]: effect(AFTER_SILENCE),
      ...(changed ? { [ONLY_CHANGED]: effect(ONLY_CHANGED) } : {}),
    },
    routes: {
      [BEFORE]: [
        { to: ['amount'], when: 'size(answers) == 0' },
        ...(chained ? [{ to: ['reason'], when: 'size(answers) == 1' }] : []),
        ...behind,
      ],
      amount: [expired, ...answered],
      ...(chained ? { reason: [expired, ...behind] } : {}),
      ...(changed ? { [ONLY_CHANGED]: [{ to: [AFTER] }] } : {}),
      [AFTER]: [{ to: [next] }],
      [AFTER_SILENCE]: [{ to: [next] }],
    },
  };
}

const DEADLINE: RequestDefinition['deadline'] = { after: '60d', onExpire: 'route' };

function amountOf(mode: Mode, changed: boolean): RequestDefinition {
  const amount = { name: 'amount', type: 'number', required: true, min: 0, max: GREATEST_AMOUNT };
  return {
    kind: 'form',
    title: changed ? 'How much, and in what?' : 'How much?',
    fields: changed ? [amount, { name: 'currency', type: 'text', required: true }] : [amount],
    deadline: DEADLINE,
    resume: mode === 'restart' ? { mode, dedupe: 'run' } : { mode },
  };
}

function reasonOf(mode: Mode): RequestDefinition {
  return {
    kind: 'form',
    title: 'Why?',
    fields: [{ name: 'reason', type: 'text', required: true }],
    deadline: DEADLINE,
    resume: mode === 'restart' ? { mode, dedupe: 'run', carry: { amount: 'state.amount.orValue(0)' } } : { mode },
  };
}

const inner = (plan: ParkedPlan): GraphDefinition => ({ name: 'work', entry: BEFORE, ...COMMON, ...work(plan) });

/** `open`, then what `middle` is, then `close`. */
function around(name: string, plan: ParkedPlan, middle: NodeDefinition): GraphDefinition {
  return {
    ...COMMON,
    name,
    entry: 'open',
    nodes: { open: effect('open'), middle, close: effect('close') },
    routes: { open: [{ to: ['middle'] }], middle: [{ to: ['close'] }] },
    graphs: { work: inner(plan) },
  };
}

const DEFINITIONS: Readonly<Record<Place, (plan: ParkedPlan) => GraphDefinition>> = {
  plain: plan => ({ name: 'parked-plain', entry: BEFORE, ...COMMON, ...work(plan) }),
  chained: plan => ({ name: 'parked-chained', entry: BEFORE, ...COMMON, ...work(plan) }),
  subgraph: plan => around('parked-subgraph', plan, { type: 'subgraph', graph: 'work' }),
  item: plan => around('parked-item', plan, { type: 'map', items: '[1, 2]', body: { graph: 'work' } }),
  branch(plan) {
    const { nodes, routes } = work(plan, 'joined');
    return {
      ...COMMON,
      name: 'parked-branch',
      entry: 'open',
      nodes: {
        open: effect('open'),
        ...nodes,
        other: effect('other'),
        joined: { type: 'join' },
        close: effect('close'),
      },
      routes: {
        open: [{ to: [BEFORE, 'other'] }],
        ...routes,
        other: [{ to: ['joined'] }],
        joined: [{ to: ['close'] }],
      },
    };
  },
};
