import { AssertionError } from 'node:assert';
import { isDeepStrictEqual } from 'node:util';
import type { Graph } from '@signalbox/core';
import {
  type Command,
  type Decision,
  evolve,
  initialState,
  type JsonObject,
  nextTick,
  type Principal,
  type Program,
  type Run,
  type RunEvent,
  type RunEventType,
  type RunStatus,
  transition,
} from '@signalbox/kernel';
import type { Move, Wait } from './moves.ts';
import { SIMULATED_START } from './simulated-clock.ts';

/** What went before: commands, events that stand in a log, time that passed. */
export type Past = Move | RunEvent | Wait;

/** An event by its type, or by its type and part of its data. */
export type Expected = RunEventType | { readonly type: RunEventType; readonly data?: JsonObject };

export interface ScenarioOptions {
  /** Epoch ms at which it begins. */
  readonly at?: number;
  readonly actor?: Principal;
}

/**
 * Given what went before, when a command comes, then these events: the transition of a graph, without any code being run,
 * any store, or any time. `scenario(graph).given(start({…}), succeeds('triage', {…})).when(answers('review', {…}))`.
 * Nodes without code (ask, transform, wait, join …) go on by themselves; the code of others is stood for by moves.
 */
export function scenario(graph: Graph | Program, options: ScenarioOptions = {}): Given {
  const program = 'program' in graph ? graph.program : graph;
  return new Given(program, options);
}

class Given {
  readonly #program: Program;
  readonly #actor: Principal;
  #at: number;
  #run: Run = initialState();

  constructor(program: Program, { at = SIMULATED_START, actor = { kind: 'user', id: 'test' } }: ScenarioOptions) {
    this.#program = program;
    this.#at = at;
    this.#actor = actor;
  }

  /** A move that is refused is an error here. */
  given(...past: readonly Past[]): this {
    for (const item of past) this.#pass(item);
    return this;
  }

  when(move: Move | Wait): Then {
    const decided: RunEvent[] = [];
    if (isWait(move)) this.#wait(move.wait, decided);
    const decision = isWait(move) ? { events: decided } : this.#decide(move);
    return new Then(decision, this.#run);
  }

  #pass(item: Past): void {
    if (isWait(item)) return this.#wait(item.wait, []);
    if (typeof item === 'object' && 'data' in item) {
      this.#run = evolve(this.#run, item, this.#at);
      return;
    }
    const { refusal } = this.#decide(item);
    if (refusal !== undefined) throw refusal;
  }

  #decide(move: Move): Decision {
    const body = typeof move === 'function' ? move(this.#run, this.#program) : move;
    const command: Command = { ...body, at: this.#at, actor: this.#actor };
    const { run, ...decision } = transition(this.#program, this.#run, command);
    this.#run = run;
    return decision;
  }

  #wait(ms: number, decided: RunEvent[]): void {
    const until = this.#at + ms;
    for (;;) {
      const next = nextTick(this.#program, this.#run);
      if (next === undefined || next > until) break;
      this.#at = Math.max(this.#at, next);
      const { events } = this.#decide({ type: 'tick' });
      if (events.length === 0) break;
      decided.push(...events);
    }
    this.#at = until;
  }
}

function isWait(item: Past): item is Wait {
  return typeof item === 'object' && 'wait' in item;
}

/** What came of it. Every check throws an `AssertionError` that shows both sides; checks can be chained. */
class Then {
  readonly events: readonly RunEvent[];
  readonly refusal: Decision['refusal'];
  readonly run: Run;

  constructor(decision: Decision, run: Run) {
    this.events = decision.events;
    this.refusal = decision.refusal;
    this.run = run;
  }

  /** Exactly these events, in this order. */
  thenEvents(...expected: readonly Expected[]): this {
    const pairs = this.events.map((event, index) => likeExpected(event, expected[index]));
    return this.#check('The events are others.', pairs, expected, this.thenEvents);
  }

  /** These events in this order, whatever stands between them. */
  thenAmong(...expected: readonly Expected[]): this {
    const found: unknown[] = [];
    for (const event of this.events)
      if (isDeepStrictEqual(likeExpected(event, expected[found.length]), expected[found.length]))
        found.push(expected[found.length]);
    if (found.length === expected.length) return this;
    return this.#check('Not all of the events are there.', this.events, expected, this.thenAmong);
  }

  /** Nothing happened, and nothing was refused. */
  thenNothing(): this {
    const happened = this.refusal === undefined ? this.events : [this.refusal.message, ...this.events];
    return this.#check('Something happened.', happened, [], this.thenNothing);
  }

  /** Refused with this code. */
  thenRefused(code: string): this {
    return this.#check('It was not refused so.', this.refusal?.code, code, this.thenRefused);
  }

  /** Where a node's routes led, in order of the branches. */
  thenRoute(node: string, ...to: readonly string[]): this {
    const decided = this.events.findLast(event => event.type === 'route.decided' && event.data.node === node);
    const chosen = decided?.type === 'route.decided' ? decided.data.to : undefined;
    return this.#check(`"${node}" leads elsewhere.`, chosen, to, this.thenRoute);
  }

  /** How the run stands after it. */
  thenStatus(status: RunStatus): this {
    return this.#check('The run stands otherwise.', this.run.status, status, this.thenStatus);
  }

  #check(message: string, actual: unknown, expected: unknown, stackStartFn: (...args: never[]) => unknown): this {
    if (isDeepStrictEqual(actual, expected)) return this;
    const shown = `${message}\nexpected ${text(expected)}\nbut had  ${text(actual)}`;
    throw new AssertionError({ message: shown, actual, expected, operator: 'deepStrictEqual', stackStartFn });
  }
}

export type { Given, Then };

function text(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? 'nothing';
}

/** The part of an event that is asked for, so that a difference shows nothing else. */
function likeExpected(event: RunEvent, expected: Expected | undefined): unknown {
  if (expected === undefined) return event;
  if (typeof expected === 'string') return event.type;
  if (event.type !== expected.type) return event;
  return expected.data === undefined
    ? { type: event.type }
    : { type: event.type, data: part(event.data, expected.data) };
}

function part(actual: unknown, expected: unknown): unknown {
  if (!isObject(actual) || !isObject(expected)) return actual;
  return Object.fromEntries(
    Object.entries(expected).flatMap(([key, value]) => (key in actual ? [[key, part(actual[key], value)]] : [])),
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
