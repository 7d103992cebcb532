import {
  type Command,
  type CommandBody,
  type Commit,
  commitTime,
  type ErrorData,
  type GraphDefinition,
  initialState,
  type JsonValue,
  loadProgram,
  type NodeRef,
  type OpReport,
  type Principal,
  type Program,
  type Run,
  ready,
  transition,
  type Update,
} from '@signalbox/kernel';
import type { Append } from '@signalbox/ports';
import { toAppend } from '../../log/commit-codec.ts';

/** 09:00 UTC; every command comes a millisecond after the one before unless `wait` moved the clock. */
export const NINE = Date.UTC(2026, 4, 4, 9);

export const WORKER: Principal = { kind: 'service', id: 'worker' };
export const FINN: Principal = { kind: 'user', id: 'finn' };

export interface LogBuilder {
  readonly program: Program;
  readonly commits: readonly Commit[];
  readonly appends: readonly Append[];
  run(): Run;
  wait(ms: number): LogBuilder;
  send(body: CommandBody, actor?: Principal): LogBuilder;
  /** Reports for the first task of that node that is ready. */
  succeed(node: string, output: JsonValue, updates?: readonly Update[], ops?: readonly OpReport[]): LogBuilder;
  fail(node: string, error: ErrorData): LogBuilder;
  answer(action: string, values?: JsonValue, actor?: Principal): LogBuilder;
}

/** A run's log, made by the kernel itself command by command; `term` is 1, as the start claims it. */
export function buildLog(
  definition: GraphDefinition,
  input: JsonValue,
  start: { runId?: string; key?: string } = {},
): LogBuilder {
  const program = loadProgram(definition);
  const commits: Commit[] = [];
  const appends: Append[] = [];
  const runId = start.runId ?? 'run_1';
  let run = initialState();
  let at = NINE;

  function send(body: CommandBody, actor: Principal = WORKER): LogBuilder {
    const decision = transition(program, run, { ...body, at, actor } as Command);
    if (decision.events.length === 0) throw decision.refusal ?? new Error(`${body.type} decided nothing.`);
    const prev = appends.at(-1)?.seal().hash;
    const firstSeq = run.seq + 1;
    const commit: Commit = {
      stream: runId,
      firstSeq,
      at: commitTime(at),
      actor,
      ...(body.type === 'answer' ? { commands: [`cmd-${firstSeq}`] } : {}),
      cause: 'req-1',
      ...(prev === undefined ? {} : { prev }),
      events: decision.events as Commit['events'],
    };
    commits.push(commit);
    appends.push(toAppend(commit));
    run = decision.run;
    at += 1;
    return builder;
  }

  function taskOf(node: string): NodeRef {
    const task = ready(program, run).find(candidate => candidate.node === node);
    if (task === undefined) throw new Error(`${node} is not ready.`);
    return { token: task.token, node: task.node, visit: task.visit };
  }

  const builder: LogBuilder = {
    program,
    commits,
    appends,
    run: () => run,
    wait(ms) {
      at += ms;
      return builder;
    },
    send,
    succeed: (node, output, updates = [], ops = []) =>
      send({ type: 'report', term: 1, ...taskOf(node), ops, end: { type: 'success', output, updates } }),
    fail: (node, error) => send({ type: 'report', term: 1, ...taskOf(node), ops: [], end: { type: 'failed', error } }),
    answer: (action, values, actor = FINN) =>
      send({ type: 'answer', action, ...(values === undefined ? {} : { values }) }, actor),
  };
  return send({
    type: 'start',
    runId,
    tenant: 'default',
    input,
    requestId: 'req-1',
    ...(start.key === undefined ? {} : { key: start.key }),
    claim: { owner: 'worker-1', build: 'b1' },
  });
}
