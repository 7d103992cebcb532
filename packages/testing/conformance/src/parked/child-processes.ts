import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, fsyncSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventStore } from '@signalbox/ports';
import { clockAhead, ParkedDesk } from './parked-desk.ts';
import type { LaunchOptions, ParkedCalls, ParkedFactory, ParkedProcess } from './parked-process.ts';

export interface ChildProcessesOptions {
  /** A module that does nothing but call {@link serveParkedProcess}. */
  readonly script: string | URL;
  /** Options of Node for it, such as a loader. */
  readonly execArgv?: readonly string[];
}

/** Real processes, which die by SIGKILL. Each check has an empty folder of its own for the data. */
export function childProcesses({ script, execArgv = [] }: ChildProcessesOptions): ParkedFactory {
  return () => {
    const folder = mkdtempSync(join(tmpdir(), 'signalbox-parked-'));
    const witness = join(folder, 'marks.txt');
    return {
      async launch(options) {
        const child = fork(script, [folder], { execArgv: [...execArgv], stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
        const process = new ParkedChild(child);
        await process.call('launch', [options, witness]);
        return process;
      },
      marks: () => (existsSync(witness) ? readFileSync(witness, 'utf8').split('\n').filter(Boolean) : []),
      dispose: () => rmSync(folder, { recursive: true, force: true }),
    };
  };
}

interface Call {
  readonly id: number;
  readonly name: keyof ParkedCalls | 'launch';
  readonly args: readonly unknown[];
}

type Reply = { readonly id: number; readonly value: unknown } | { readonly id: number; readonly error: string };

/** This side of the wire. Calls that a process does not live to answer reject with what it said last. */
class ParkedChild implements ParkedProcess {
  readonly #child: ChildProcess;
  readonly #dead: Promise<unknown>;
  readonly #waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  #calls = 0;
  #errors = '';

  constructor(child: ChildProcess) {
    this.#child = child;
    this.#dead = once(child, 'close').then(() => this.#failAll());
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#errors += text;
    });
    child.on('message', (reply: Reply) => {
      const call = this.#waiting.get(reply.id);
      this.#waiting.delete(reply.id);
      if ('error' in reply) call?.reject(new Error(reply.error));
      else call?.resolve(reply.value);
    });
  }

  #failAll(): void {
    for (const { reject } of this.#waiting.values()) reject(new Error(`The process is dead. ${this.#errors}`));
    this.#waiting.clear();
  }

  call<Value>(name: Call['name'], args: readonly unknown[]): Promise<Value> {
    this.#calls += 1;
    const id = this.#calls;
    return new Promise<unknown>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#child.send({ id, name, args } satisfies Call, error => error && reject(error));
    }) as Promise<Value>;
  }

  start: ParkedCalls['start'] = () => this.call('start', []);
  questions: ParkedCalls['questions'] = runId => this.call('questions', [runId]);
  answer: ParkedCalls['answer'] = (requestId, answer) => this.call('answer', [requestId, answer]);
  history: ParkedCalls['history'] = runId => this.call('history', [runId]);

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#dead;
  }
}

/**
 * The other side: a process that {@link childProcesses} starts serves by this. `openStore` is given the folder of the data.
 */
export function serveParkedProcess(openStore: (folder: string) => EventStore | Promise<EventStore>): void {
  const folder = process.argv[2] ?? '';
  let desk: ParkedDesk | undefined;

  async function launch({ plan, ahead }: LaunchOptions, witness: string): Promise<null> {
    desk = new ParkedDesk(await openStore(folder), clockAhead(ahead), plan, line => leaveMark(witness, line));
    await desk.ready();
    return null;
  }

  async function carryOut({ name, args }: Call): Promise<unknown> {
    if (name === 'launch') return await launch(...(args as Parameters<typeof launch>));
    if (desk === undefined) throw new Error('This process was not launched.');
    return await (desk[name] as (...args: readonly unknown[]) => Promise<unknown>)(...args);
  }

  process.on('message', (call: Call) => {
    const reply = (reply: Reply) => process.send?.(reply);
    carryOut(call).then(
      value => reply({ id: call.id, value }),
      error => reply({ id: call.id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    );
  });
  // Whoever started it is gone.
  process.on('disconnect', () => process.exit());
}

/** What is in the file has happened, whoever died since. */
function leaveMark(path: string, line: string): void {
  const file = openSync(path, 'a');
  writeSync(file, `${line}\n`);
  fsyncSync(file);
  closeSync(file);
}
