import type { Principal } from '../../event/commit.ts';
import type { RunEvent, RunEvents, RunEventType, Wish } from '../../event/run-event.ts';
import { compileGraph } from '../../graph/compile.ts';
import type { GraphDefinition } from '../../graph/definition.ts';
import type { GraphCode, Program } from '../../graph/program.ts';
import type { JsonObject, JsonValue } from '../../json/value.ts';
import { type StateView, stateObject } from '../../state/cell.ts';
import type { CommandBody, OpReport, OutsideCommand, StartCommand, TaskEnd, Update } from '../command.ts';
import { type Decision, nextTick } from '../decide/decide.ts';
import { Draft } from '../draft.ts';
import { initialState } from '../evolve/initial-state.ts';
import { nodeKey } from '../keys.ts';
import { ready, type Task } from '../ready.ts';
import type { Run } from '../run.ts';
import type { Token } from '../token.ts';
import { checkedTransition, foldFromStart, type Step, sameText } from './checks.ts';
import { plainText } from './plain.ts';

/** What one execution of a handler did. */
export interface Played {
  readonly ops?: readonly OpReport[];
  readonly end?: TaskEnd;
}

/** What a scripted handler sees. */
export interface Call {
  readonly input: JsonValue;
  readonly state: JsonObject;
  readonly attempt: number;
  readonly visit: number;
  readonly task: Task;
  readonly token: Token;
}

/** By node name (of an item's body `body`): what its handler does. A node without a script succeeds with its own name. */
export type Script = Readonly<Record<string, (call: Call) => Played | 'busy'>>;

export function done(output: JsonValue = null, update?: Update, wish?: Wish): Played {
  const updates = update === undefined ? [] : [update];
  return { end: { type: 'success', output, updates, ...(wish === undefined ? {} : { wish }) } };
}

export function broken(code: string, extra: { permanent?: boolean; retry?: boolean } = {}): Played {
  const { retry, ...rest } = extra;
  const error = { code, message: `${code} happened`, ...rest };
  return { end: { type: 'failed', error, ...(retry === undefined ? {} : { retry }) } };
}

export const USER: Principal = { kind: 'user', id: 'finn' };
const DRIVER: Principal = { kind: 'system', id: 'driver' };

/** 2026-03-02T09:00:00Z */
export const T0 = Date.UTC(2026, 2, 2, 9);

/** The definition, checked; throws with its faults. */
export function programOf(definition: GraphDefinition, code?: GraphCode): Program {
  const { program, faults } = compileGraph(definition, code);
  if (program !== undefined) return program;
  throw new Error(faults.map(fault => `${fault.pointer} ${fault.code}: ${fault.message}`).join('\n'));
}

/** The shortest way to a definition: what is silent here is empty there. */
export function graph(parts: Partial<GraphDefinition> & Pick<GraphDefinition, 'nodes'>): GraphDefinition {
  const [entry] = Object.keys(parts.nodes);
  return { name: 'test', entry: entry!, input: {}, state: {}, routes: {}, ...parts };
}

/**
 * A run in a test: a graph, scripted handlers, and a clock that stands until it is told to go on.
 * Every command is decided with the checks of {@link checkedTransition}, and the log is folded from its start.
 */
export class Scenario {
  program: Program;
  run: Run = initialState();
  at = T0;
  /** Whoever decides asks checks before each node. */
  checks = false;
  readonly steps: Step[] = [];
  /** `token/node#visit` of every execution of a handler, in order. */
  readonly calls: string[] = [];
  #kept = new Draft(initialState());
  readonly #script: Script;
  readonly #busy = new Set<string>();
  readonly #order: 'first' | 'last';

  /** `order`: which of several tasks is executed first. */
  constructor(definition: GraphDefinition | Program, script: Script = {}, order: 'first' | 'last' = 'first') {
    this.program =
      'graphs' in definition && definition.graphs instanceof Map
        ? (definition as Program)
        : programOf(definition as GraphDefinition);
    this.#script = script;
    this.#order = order;
  }

  /** The run as of the event with that sequence number, in a scenario of its own. */
  until(seq: number, script: Script = this.#script, runId = this.run.id): Scenario {
    const copy = new Scenario(this.program, script);
    let left = seq;
    for (const { at, events } of this.steps) {
      const kept = events.slice(0, left);
      if (kept.length > 0) copy.steps.push({ at, events: kept.map(event => named(event, runId)) });
      left -= kept.length;
    }
    copy.at = this.at;
    copy.run = foldFromStart(copy.steps);
    copy.#kept = new Draft(copy.run);
    return copy;
  }

  /** What a fork copies: the past under the child's id. */
  forkAt(seq: number, script?: Script): Scenario {
    return this.until(seq, script, 'run_child');
  }

  /** Sequence number of the n-th event of that type. */
  seqOf(type: RunEventType, matches: (data: JsonObject) => boolean = () => true): number {
    return this.events.findIndex(event => event.type === type && matches(event.data as unknown as JsonObject)) + 1;
  }

  /** Decides a command; a refusal is given back, not thrown. */
  send(body: CommandBody, actor: Principal = DRIVER): Decision {
    const { run, ...decision } = checkedTransition(
      this.program,
      this.run,
      { at: this.at, actor, checks: this.checks, ...body },
      this.#kept,
    );
    this.run = run;
    if (decision.events.length > 0) this.steps.push({ at: this.at, events: decision.events });
    sameText('the fold of the log', plainText(this.run), plainText(foldFromStart(this.steps)));
    return decision;
  }

  start(input: JsonValue = {}, extra: Partial<StartCommand> = {}): this {
    const claim = { owner: 'worker', build: 'b1' };
    this.#must(
      this.send({ type: 'start', runId: 'run_1', tenant: 'default', input, requestId: 'r', claim, ...extra }, USER),
    );
    return this.drive();
  }

  /** Executes what is ready until nothing is, or only what is busy. */
  drive(): this {
    for (let turn = 0; turn < 5000; turn += 1) {
      const tasks = ready(this.program, this.run).filter(task => !this.#busy.has(keyOf(task)));
      const task = this.#order === 'first' ? tasks[0] : tasks.at(-1);
      if (task === undefined) return this;
      this.play(task);
    }
    throw new Error('The run does not come to rest.');
  }

  /** Executes one ready task of that node. */
  turn(node: string): this {
    const task = ready(this.program, this.run).find(candidate => candidate.node === node);
    if (task === undefined) throw new Error(`"${node}" is not ready.`);
    this.#busy.delete(keyOf(task));
    this.play(task);
    return this;
  }

  play(task: Task): void {
    const { token: id, node, visit, attempt } = task;
    this.calls.push(nodeKey(task));
    if (task.kind === 'compensation') return this.#compensate(task);
    if (task.kind === 'check') return this.#check(task);
    const token = this.run.tokens.get(id)!;
    const execution = task.execution!;
    const state = stateObject(execution.state);
    const script = this.#script[execution.fallback?.node ?? node] ?? (() => done(node));
    const played = script({ input: execution.input, state, attempt, visit, task, token });
    if (played === 'busy') {
      this.#busy.add(keyOf(task));
      return;
    }
    this.report(task, played);
  }

  #check(task: Task): void {
    const played = this.#script[`check ${task.compiled.name}`]?.({
      ...NOTHING,
      attempt: task.attempt,
      visit: task.visit,
      task,
    });
    if (played === 'busy') this.#busy.add(keyOf(task));
    else this.report(task, played ?? PASSED);
  }

  #compensate(task: Task): void {
    const played = this.#script[`undo ${task.node}`]?.({ ...NOTHING, attempt: task.attempt, visit: task.visit, task });
    if (played === 'busy') {
      this.#busy.add(keyOf(task));
      return;
    }
    const error = played?.end?.type === 'failed' ? { error: played.end.error } : {};
    const { token, node, visit } = task;
    this.#must(this.send({ type: 'compensated', term: this.run.term, ref: { token, node, visit }, ...error }));
  }

  /** What a handler that was busy did after all. */
  report(ref: { token: string; node: string; visit: number }, { ops = [], end }: Played): Decision {
    const { token, node, visit } = ref;
    return this.send({
      type: 'report',
      term: this.run.term,
      token,
      node,
      visit,
      ops,
      ...(end === undefined ? {} : { end }),
    });
  }

  /** Lets a busy node of that name end, and drives on. */
  finish(node: string, played: Played): this {
    const task = ready(this.program, this.run).find(candidate => candidate.node === node);
    if (task === undefined) throw new Error(`"${node}" is not at work.`);
    this.#busy.delete(keyOf(task));
    this.#must(this.report(task, played));
    return this.drive();
  }

  /** Answers by request id or by the name of the node that asks; drives on. */
  answer(
    target: string | undefined,
    answer: Omit<Extract<OutsideCommand, { type: 'answer' }>, 'type' | 'request'> = {},
  ): this {
    this.#must(this.tryAnswer(target, answer));
    return this.drive();
  }

  tryAnswer(
    target: string | undefined,
    answer: Omit<Extract<OutsideCommand, { type: 'answer' }>, 'type' | 'request'> = {},
    actor = USER,
  ): Decision {
    const named = target === undefined ? {} : { request: this.asked(target) ?? target };
    return this.send({ type: 'answer', ...named, ...answer }, actor);
  }

  /** Id of the open question of a node, by its name or `token/node`. */
  asked(node: string): string | undefined {
    for (const request of this.run.requests.values())
      if (request.node === node || `${request.token}/${request.node}` === node) return request.id;
    return undefined;
  }

  /** An act of the controller; drives on. */
  act(command: CommandBody): this {
    this.#must(this.send(command, USER));
    return this.drive();
  }

  /** Lets time pass, waking the run whenever it asked to be. */
  advance(ms: number): this {
    const until = this.at + ms;
    for (let stops = 0; stops < 1000; stops += 1) {
      const next = nextTick(this.program, this.run);
      if (next === undefined || next > until) {
        this.at = until;
        return this;
      }
      this.at = Math.max(this.at, next);
      this.#must(this.send({ type: 'tick' }));
      this.drive();
    }
    throw new Error('Time does not pass: a tick changed nothing.');
  }

  /** The sequence numbers that decisions end with. */
  get ends(): readonly number[] {
    let seq = 0;
    return this.steps.map(({ events }) => {
      seq += events.length;
      return seq;
    });
  }

  get events(): readonly RunEvent[] {
    return this.steps.flatMap(step => step.events);
  }

  of<Type extends RunEventType>(type: Type): RunEvents[Type][] {
    return this.events.filter(event => event.type === type).map(event => event.data as RunEvents[Type]);
  }

  /** Names of the nodes started, in order; those of one name where given. */
  started(name?: string): string[] {
    const nodes = this.of('node.started').map(({ node }) => node);
    return name === undefined ? nodes : nodes.filter(node => node === name);
  }

  get status(): Run['status'] {
    return this.run.status;
  }

  /** State of a token; the root's by default. */
  state(token = ''): JsonObject {
    const view: StateView = this.run.tokens.get(token)?.state ?? {};
    return JSON.parse(JSON.stringify(stateObject(view))) as JsonObject;
  }

  get open(): string[] {
    return [...this.run.requests.values()].map(({ token, node }) => (token === '' ? node : `${token}/${node}`));
  }

  #must(decision: Decision): void {
    if (decision.refusal !== undefined) throw decision.refusal;
  }
}

const PASSED: Played = { end: { type: 'passed' } };

const NOTHING = { input: null, state: {}, token: undefined as unknown as Token };

function keyOf(task: Task): string {
  return `${nodeKey(task)}:${task.kind}:${task.attempt}`;
}

function named(event: RunEvent, runId: string): RunEvent {
  return event.type === 'run.started' ? { ...event, data: { ...event.data, runId } } : event;
}
