import {
  type CommandBody,
  type JsonValue,
  type Program,
  parseDuration,
  type Run,
  SignalboxError,
  type Update,
  type Wish,
} from '@signalbox/kernel';

/** A command, or how to make one from how the run stands. */
export type Move = CommandBody | ((run: Run, program: Program) => CommandBody);

/** Time that passes; the run is woken whenever it asked to be. */
export interface Wait {
  readonly wait: number;
}

export function wait(duration: string | number): Wait {
  return { wait: typeof duration === 'number' ? duration : parseDuration(duration) };
}

/** The run begins; a driver has it, so that nodes can report. */
export function start(input: JsonValue = {}): Move {
  const claim = { owner: 'test', build: 'test' };
  return { type: 'start', runId: 'run_test', tenant: 'default', input, requestId: 'req_test', claim };
}

/** The code of a node gives its output, and what it wrote. `token` where several are at nodes of that name. */
export function succeeds(
  node: string,
  output: JsonValue = null,
  options: { readonly update?: Update; readonly wish?: Wish; readonly token?: string } = {},
): Move {
  const { update, wish, token } = options;
  return run => ({
    ...reportOf(run, node, token),
    end: {
      type: 'success',
      output,
      updates: update === undefined ? [] : [update],
      ...(wish === undefined ? {} : { wish }),
    },
  });
}

/** The code of a node throws. */
export function fails(
  node: string,
  code = 'Error',
  options: { readonly message?: string; readonly permanent?: boolean; readonly token?: string } = {},
): Move {
  const { message = `${node} failed`, permanent, token } = options;
  const error = { code, message, ...(permanent === undefined ? {} : { permanent }) };
  return run => ({ ...reportOf(run, node, token), end: { type: 'failed', error } });
}

/** The open question of a node is answered; without a node, the only one there is. */
export function answers(
  node: string | undefined,
  answer: { readonly action?: string; readonly values?: JsonValue; readonly note?: string } = {},
): Move {
  return run => {
    const request = [...run.requests.values()].find(candidate => candidate.node === node);
    if (node !== undefined && request === undefined) throw notAt(run, node, 'asks nothing');
    return { type: 'answer', ...(request === undefined ? {} : { request: request.id }), ...answer };
  };
}

export function signals(name: string, value: JsonValue = null): Move {
  return { type: 'signal', name, value };
}

function reportOf(run: Run, node: string, tokenId?: string) {
  const token = [...run.tokens.values()].find(
    ({ id, at }) =>
      at.kind === 'node' && at.node === node && at.status === 'running' && (tokenId === undefined || id === tokenId),
  );
  if (token?.at.kind !== 'node') throw notAt(run, node, 'is not at work');
  return { type: 'report' as const, term: run.term, token: token.id, node, visit: token.at.visit, ops: [] };
}

function notAt(run: Run, node: string, what: string): SignalboxError {
  const at = [...run.tokens.values()].flatMap(({ at }) => ('node' in at ? [`${at.node} (${at.kind})`] : []));
  return new SignalboxError('UnknownNode', `Node "${node}" ${what}.`, {
    hint: `The run is ${run.status}; its tokens are at: ${at.join(', ') || 'no node'}.`,
    details: { node },
  });
}
