import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileGraph } from '../graph/compile.ts';
import { heldOn } from './bounds.ts';
import type { CommandBody, OpReport } from './command.ts';
import { opKey } from './keys.ts';
import { ready } from './ready.ts';
import { NOTHING_SPENT } from './spending.ts';
import { definitionOf, type Part, part, TOKENS_ALLOWED } from './testing/random-graph.ts';
import { broken, done, type Played, Scenario } from './testing/scenario.ts';

const REASON = 'simulated';
const ENDED = ['completed', 'failed', 'cancelled'];

/** Chooses by a list of numbers, so that a failure shrinks to the fewest and smallest of them. */
class Fate {
  readonly #numbers: readonly number[];
  #next = 0;

  constructor(numbers: readonly number[]) {
    this.#numbers = numbers;
  }

  get over(): boolean {
    return this.#next >= this.#numbers.length;
  }

  of(size: number): number {
    const number = this.#numbers[this.#next] ?? 0;
    this.#next += 1;
    return number % size;
  }
}

function checkedBy(fate: Fate): Played {
  switch (fate.of(6)) {
    case 0:
      return broken('Denied', { permanent: true });
    case 1:
      return { end: { type: 'suspended', ops: [] } };
    default:
      return { end: { type: 'passed' } };
  }
}

function playedBy(fate: Fate, ops: number): Played {
  const op = `op#${ops + 1}`;
  const wait = (report: OpReport): Played => ({ ops: [report], end: { type: 'suspended', ops: [op] } });
  switch (fate.of(12)) {
    case 0:
      return broken('E');
    case 10:
    case 11:
      return { ops: [{ type: 'intend', op, kind: 'model', digest: '', class: 'repeat', reserve: { tokens: 40 } }] };
    case 1:
      return broken('E', { permanent: true });
    case 2:
      return wait({ type: 'ask', op, digest: '', request: { kind: 'confirmation', title: 'Well?' } });
    case 3:
      return wait({ type: 'sleep', op, digest: '', until: { for: '3m' } });
    case 4:
      return { ops: [{ type: 'record', op, kind: 'run', digest: '', value: ops }] };
    case 5:
      return { end: { type: 'skipped' } };
    case 6:
      return { ops: [{ type: 'intend', op, kind: 'run', digest: '', class: 'once' }] };
    default:
      return done(ops);
  }
}

/** What the operation came to, or nobody can tell. */
function spentBy(op: string, fate: number): Played {
  const usage = fate === 0 ? {} : { usage: { tokens: fate * 15 } };
  return { ops: [{ type: 'record', op, kind: 'model', digest: '', value: null, ...usage }] };
}

type Happening = (s: Scenario, fate: Fate) => void;

const send =
  (command: CommandBody): Happening =>
  s =>
    void s.send(command);

const clock: Happening = (s, fate) => {
  s.at += [1000, 120_000, 600_000, 4_000_000][fate.of(4)]!;
  s.send({ type: 'tick' });
};

const jump: Happening = (s, fate) => {
  const tokens = [...s.run.tokens.values()];
  const token = tokens[fate.of(tokens.length)]!;
  const nodes = [...s.program.graphs.get(token.graph)!.nodes.keys()];
  s.send({ type: 'jump', token: token.id, to: nodes[fate.of(nodes.length)]!, reason: REASON });
};

/** A cut falls on the end of a decision, as whoever commands it sees to: between a failure and its route nothing stands by itself. */
const rollback: Happening = (s, fate) => {
  const to = s.ends[fate.of(s.ends.length)]!;
  const past = s.until(to).run;
  if (!ENDED.includes(past.status)) s.send({ type: 'rollback', to, past, effects: 'ask', reason: REASON });
};

const answer: Happening = (s, fate) => {
  const requests = [...s.run.requests.keys()];
  const request = requests[fate.of(Math.max(1, requests.length))];
  if (request !== undefined) s.tryAnswer(request, { action: fate.of(3) === 0 ? 'reject' : 'approve' });
};

const work: Happening = (s, fate) => {
  const tasks = ready(s.program, s.run);
  const task = tasks[fate.of(Math.max(1, tasks.length))];
  if (task === undefined) return;
  const { token, node, visit } = task;
  const { term } = s.run;
  const intended = [...(task.execution?.journal.values() ?? [])].find(({ status }) => status === 'intended');
  if (task.kind === 'compensation') s.send({ type: 'compensated', term, ref: { token, node, visit } });
  else if (intended?.class === 'repeat' && fate.of(3) > 0) s.report(task, spentBy(intended.op, fate.of(3)));
  else if (intended?.class === 'once') s.send({ type: 'doubt', term, token, node, visit, op: intended.op });
  else if (task.kind === 'check') s.report(task, checkedBy(fate));
  else s.report(task, playedBy(fate, task.execution!.journal.size));
};

/** Whatever is refused is refused whole, and the checks of the scenario hold. */
const HAPPENINGS: readonly Happening[] = [
  ...[work, work, work, work, work, work, answer, answer, answer, clock, jump, rollback],
  send({ type: 'pause', reason: REASON }),
  send({ type: 'resume', reason: REASON }),
  send({ type: 'step', reason: REASON }),
  send({ type: 'retry', reason: REASON }),
  send({ type: 'reopen', reason: REASON }),
  send({ type: 'signal', name: 'go', value: 1 }),
  send({ type: 'claim', owner: 'other', build: 'b', crashLimit: 100 }),
  (s, fate) => void s.send({ type: 'edit', set: { count: fate.of(3) }, reason: REASON }),
  (s, fate) => {
    if (fate.of(4) === 0) s.send({ type: 'cancel', reason: REASON, compensate: true });
  },
];

/** Faults are over: everything succeeds, is answered and has its time. */
function heal(s: Scenario): void {
  let retries = 3;
  for (let turn = 0; turn < 600; turn += 1) {
    if (s.status === 'failed' && retries > 0) {
      retries -= 1;
      s.send({ type: 'retry', reason: REASON });
    }
    if (ENDED.includes(s.status)) return;
    const [task] = ready(s.program, s.run);
    const [request] = s.run.requests.values();
    if (s.status === 'paused') s.send({ type: 'resume', reason: REASON });
    else if (task?.kind === 'compensation' || task?.kind === 'check') s.play(task);
    else if (task !== undefined) s.report(task, done('healed'));
    else if (request?.about === 'doubt') s.tryAnswer(request.id, { values: { outcome: 'fail' } });
    else if (request !== undefined) s.tryAnswer(request.id, { action: 'reject' });
    else s.advance(600_000);
  }
}

function simulate(tree: Part, numbers: readonly number[]): Scenario | undefined {
  const { program } = compileGraph(definitionOf(tree));
  if (program === undefined) return undefined;
  const fate = new Fate(numbers);
  const s = new Scenario(program);
  s.checks = fate.of(4) === 0;
  s.send({
    type: 'start',
    runId: 'run_1',
    tenant: 'default',
    input: {},
    requestId: 'r',
    claim: { owner: 'w', build: 'b' },
  });
  while (!fate.over && s.status !== 'cancelled') {
    HAPPENINGS[fate.of(HAPPENINGS.length)]!(s, fate);
    budgetHolds(s);
  }
  heal(s);
  budgetHolds(s);
  return s;
}

/** What may be spent is bounded; what is reserved is under way; and who stands at the bound has a question open. */
function budgetHolds(s: Scenario): void {
  const { accounts, reserved, granted } = s.run.spending ?? NOTHING_SPENT;
  const told = s.of('budget.spent').reduce((sum, { amounts }) => sum + (amounts.tokens ?? 0), 0);
  expect(accounts.get('run')?.tokens ?? 0).toBe(told);
  const held = heldOn({ accounts, reserved, granted }, 'run');
  expect(held.tokens).toBeLessThanOrEqual(TOKENS_ALLOWED * (1 + (granted.get('run') ?? 0)));
  const journals = [...s.run.tokens.values()].flatMap(({ id, at }) =>
    at.kind === 'node' ? [...at.journal.values()].map(record => ({ ...at, token: id, record })) : [],
  );
  const keysOf = (status: string) =>
    journals.filter(({ record }) => record.status === status).map(each => opKey(each, each.record.op));
  const asked = [...s.run.requests.values()].map(request => opKey(request, request.op));
  expect(keysOf('intended')).toEqual(expect.arrayContaining([...reserved.keys()]));
  expect(asked).toEqual(expect.arrayContaining(s.status === 'cancelling' ? [] : keysOf('held')));
}

/** The key of every operation recorded; a rollback begins a generation of its own. */
function recordedKeys(s: Scenario): string[] {
  let generation = 0;
  return s.events.flatMap(event => {
    if (event.type === 'run.rolledBack') generation += 1;
    if (event.type !== 'op.recorded') return [];
    const { token, node, visit, op } = event.data;
    return [`${generation}~${token}/${node}#${visit}/${op}`];
  });
}

/** A run that is over leaves nothing behind that could still happen. */
function atRest(s: Scenario): void {
  expect(ENDED).toContain(s.status);
  if (s.status === 'completed') {
    expect([...s.run.requests.keys()]).toEqual([]);
    expect([...s.run.scopes.keys()]).toEqual(['']);
    expect([...s.run.tokens.keys()]).toEqual(['']);
  }
  const recorded = recordedKeys(s);
  expect(new Set(recorded).size).toBe(recorded.length);
  const answered = s.of('request.answered').map(({ request }) => request);
  expect(new Set(answered).size).toBe(answered.length);
}

/** Met once by chance. */
const CAUGHT_AND_ROLLED_BACK: Part = {
  kind: 'caught',
  body: { kind: 'loop', body: { kind: 'fork', branches: [{ kind: 'step' }, { kind: 'step' }], join: 'all' } },
};
const FATE_THAT_CUT_A_DECISION = [
  1, 9614, 0, 0, 0, 127731, 0, 827136, 0, 0, 0, 0, 820733, 0, 28151, 221495, 0, 0, 0, 0, 0, 0, 0,
];

describe('any graph and any order of events', () => {
  it('folds to what was decided, records nothing twice, and comes to an end once faults stop', () => {
    let ran = 0;
    fc.assert(
      fc.property(part, fc.array(fc.nat(1_000_000), { minLength: 10, maxLength: 80, size: 'max' }), (tree, numbers) => {
        const s = simulate(tree, numbers);
        if (s === undefined) return;
        ran += 1;
        atRest(s);
      }),
      { numRuns: 60, examples: [[CAUGHT_AND_ROLLED_BACK, FATE_THAT_CUT_A_DECISION]] },
    );
    expect(ran).toBeGreaterThan(20);
  }, 600_000);
});
