import {
  type GivenAnswer,
  type GraphDefinition,
  type JsonObject,
  type JsonValue,
  loadProgram,
  type NodeDefinition,
} from '@signalbox/kernel';
import type { RegisteredGraph } from '../../engine/graph-registry.ts';
import type { Handler } from '../handler.ts';

/** The context of a handler as these tests use it. */
export interface Ctx {
  run<Result>(
    name: string,
    fn: (tools: { idempotencyKey: string; signal: AbortSignal }) => Result | Promise<Result>,
    options?: { once?: boolean; onDoubt?: 'ask' | 'retry' | 'fail'; timeout?: string; key?: string; args?: unknown },
  ): Promise<Result>;
  ask(name: string, request: object): Promise<JsonObject>;
  sleep(name: string, duration: string): Promise<void>;
  signal(name: string): Promise<JsonValue>;
  first(waits: object): Promise<{ winner: string; value: JsonValue }>;
  decide(point: string, decision: object): void;
  update(changes: object): void;
  group<Result>(name: string, fn: () => Promise<Result>): Promise<Result>;
  refresh(): Promise<JsonObject>;
  now(): number;
  random(): number;
  uuid(): string;
  readonly state: JsonObject;
  readonly given: JsonValue;
  readonly input: JsonValue;
  readonly answers: readonly GivenAnswer[];
  readonly nodes: Readonly<Record<string, JsonObject>>;
  readonly error: JsonObject | undefined;
  readonly output: JsonValue;
  readonly node: { readonly name: string; readonly visit: number; readonly attempt: number };
  readonly abort: AbortSignal;
}

export type Code = ((ctx: Ctx) => unknown) | { [Name in keyof Handler]: (ctx: Ctx, ended: JsonObject) => unknown };

export interface CodeGraphOptions {
  readonly state?: JsonObject;
  /** What a node says beside its handler. */
  readonly nodes?: Readonly<Record<string, Partial<NodeDefinition>>>;
  /** Absent: the nodes one after the other. */
  readonly routes?: GraphDefinition['routes'];
  readonly limits?: GraphDefinition['limits'];
}

/** A graph of handlers in a row. The same names and options give the same version, whatever the code does. */
export function codeGraph(code: Readonly<Record<string, Code>>, options: CodeGraphOptions = {}): RegisteredGraph {
  const names = Object.keys(code);
  const row = Object.fromEntries(names.slice(0, -1).map((name, index) => [name, [{ to: [names[index + 1]!] }]]));
  const own = names.map(name => [name, { type: 'step', handler: `${name}@1`, ...options.nodes?.[name] }]);
  const others = Object.entries(options.nodes ?? {}).filter(([name]) => !names.includes(name));
  const definition = {
    name: 'coded',
    input: {},
    state: options.state ?? {},
    entry: names[0]!,
    nodes: Object.fromEntries([...own, ...others]),
    routes: options.routes ?? row,
    ...(options.limits === undefined ? {} : { limits: options.limits }),
  } as unknown as GraphDefinition;
  const handlers = new Map(
    names.map(name => {
      const given = code[name]!;
      return [`${name}@1`, (typeof given === 'function' ? { execute: given } : given) as unknown as Handler];
    }),
  );
  return { name: 'coded', definition, program: loadProgram(definition), handlers, code: {} };
}

export const CONFIRM = { kind: 'confirmation', title: 'Go on?' };
