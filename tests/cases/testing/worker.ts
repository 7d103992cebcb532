import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const SCRIPT = fileURLToPath(new URL('./worker-process.ts', import.meta.url));

export interface Worker {
  readonly said: readonly Record<string, unknown>[];
  readonly errors: () => string;
  tell(message: object): void;
  kill(): void;
  close(): void;
  /** Resolves with how it ended: an exit code, or the signal that killed it. */
  readonly ended: Promise<number | string>;
}

/** Starts a process of its own on the store. */
export function startWorker(path: string, witness: string, ...args: readonly string[]): Worker {
  const child = spawn(
    process.execPath,
    ['--conditions=@signalbox/source', '--import', 'tsx', SCRIPT, path, witness, ...args],
    { stdio: ['pipe', 'pipe', 'pipe'] },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  const said: Record<string, unknown>[] = [];
  let rest = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) said.push(JSON.parse(line));
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  return {
    said,
    errors: () => errors,
    tell: message => void child.stdin.write(`${JSON.stringify(message)}\n`),
    kill: () => void child.kill('SIGKILL'),
    close: () => void child.stdin.end(),
    ended: once(child, 'close').then(([code, signal]) => (signal ?? code) as number | string),
  };
}
