import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const SCRIPT = fileURLToPath(new URL('./publisher-process.ts', import.meta.url));

export interface PublisherProcess {
  readonly lines: readonly string[];
  readonly errors: () => string;
  /** Asks a question. */
  ask(): void;
  kill(): void;
  /** Lets it stop in good order. */
  close(): void;
  readonly ended: Promise<unknown>;
}

/** Starts a process of its own on the store, which publishes to the URL. */
export function startPublisher(path: string, url: string, mode: 'publish' | 'silent' | 'stuck'): PublisherProcess {
  const child = spawn(
    process.execPath,
    ['--conditions=@signalbox/source', '--import', 'tsx', SCRIPT, path, url, mode],
    { stdio: ['pipe', 'pipe', 'pipe'] },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines: string[] = [];
  let rest = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  // One that was killed takes no more.
  child.stdin.on('error', () => {});
  return {
    lines,
    errors: () => errors,
    ask: () => void child.stdin.write('ask\n'),
    kill: () => void child.kill('SIGKILL'),
    close: () => void child.stdin.end(),
    ended: once(child, 'close'),
  };
}
