import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** The calls of an object that lives in another process. All that goes over is JSON. */
export type Remote<Calls> = Calls & {
  /** By SIGKILL. */
  kill(): Promise<void>;
};

interface Call {
  readonly id: number;
  readonly name: string;
  readonly args: readonly unknown[];
}

type Reply = { readonly id: number; readonly value: unknown } | { readonly id: number; readonly error: string };

/** Starts a program that serves its calls by {@link serveCalls}. Calls that it does not live to answer reject. */
export function startRemote<Calls extends object>(program: string, args: readonly string[]): Remote<Calls> {
  const child = fork(program, [...args], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const dead = once(child, 'close');
  const call = callsOver(child, dead);
  const kill = async () => {
    child.kill('SIGKILL');
    await dead;
  };
  return new Proxy({} as Remote<Calls>, {
    get: (_, name) => (name === 'kill' ? kill : (...given: readonly unknown[]) => call(String(name), given)),
  });
}

function callsOver(child: ChildProcess, dead: Promise<unknown>) {
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let calls = 0;
  child.on('message', (reply: Reply) => {
    const call = waiting.get(reply.id);
    waiting.delete(reply.id);
    if ('error' in reply) call?.reject(new Error(reply.error));
    else call?.resolve(reply.value);
  });
  void dead.then(() => {
    for (const { reject } of waiting.values()) reject(new Error('The process is dead.'));
    waiting.clear();
  });
  return (name: string, args: readonly unknown[]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      calls += 1;
      waiting.set(calls, { resolve, reject });
      child.send({ id: calls, name, args } satisfies Call, error => error && reject(error));
    });
}

/** Carries out the calls of the process that has started this one, and ends with it. */
export function serveCalls(target: object): void {
  const methods = target as Readonly<Record<string, (...args: readonly unknown[]) => Promise<unknown>>>;
  process.on('message', ({ id, name, args }: Call) => {
    const reply = (message: Reply) => process.send?.(message);
    methods[name]!(...args).then(
      value => reply({ id, value }),
      error => reply({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    );
  });
  process.on('disconnect', () => process.exit());
}
