import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

const LOADER = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

/** The real `main.ts` of an example as a process of its own. */
export interface ExampleProcess {
  /** Everything written so far, without colours. */
  output(): string;
  /** Resolves when the output holds the text; rejects when the process ends without it. */
  shows(text: string): Promise<void>;
  type(keys: string): void;
  /** SIGKILL, to the example itself. */
  kill(): void;
  readonly exit: Promise<number | null>;
}

const NODE = [process.execPath, '--conditions=@signalbox/source', '--import', LOADER];

/** Starts `main` in a folder, its input empty as in `< /dev/null`. */
export function startExample(main: URL, folder: string, args: readonly string[] = []): ExampleProcess {
  const [node, ...rest] = NODE;
  return watch(
    spawn(node!, [...rest, fileURLToPath(main), ...args], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] }),
  );
}

/** Starts `main` at a terminal, which `script` (util-linux, BSD) makes. */
export function startExampleAtTerminal(main: URL, folder: string, args: readonly string[] = []): ExampleProcess {
  const command = `echo "pid $$."; exec ${[...NODE, fileURLToPath(main), ...args].map(quoted).join(' ')}`;
  const shell =
    process.platform === 'darwin' ? ['-q', '/dev/null', 'sh', '-c', command] : ['-qec', command, '/dev/null'];
  const child = spawn('script', shell, { cwd: folder, stdio: ['pipe', 'pipe', 'pipe'] });
  return watch(child, output => Number(/pid (\d+)\./.exec(output)?.[1]));
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

function watch(child: ChildProcess, pidIn: (output: string) => number | undefined = () => child.pid): ExampleProcess {
  let output = '';
  const watchers = new Set<() => void>();
  const grow = (chunk: Buffer) => {
    output += chunk.toString();
    for (const watcher of watchers) watcher();
  };
  child.stdout?.on('data', grow);
  child.stderr?.on('data', grow);
  const exit = new Promise<number | null>(resolve => child.on('close', resolve));
  const plain = () => output.replace(COLOURS, '');
  return {
    output: plain,
    exit,
    type: keys => child.stdin?.write(keys),
    kill() {
      const pid = pidIn(output);
      // One of ours that has ended already is no failure; the terminal's is known by its id alone.
      if (pid === child.pid) child.kill('SIGKILL');
      else if (pid !== undefined) process.kill(pid, 'SIGKILL');
    },
    shows: text =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (!plain().includes(text)) return;
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        look();
        void exit.then(code => reject(new Error(`ended with ${code} and without "${text}":\n${plain()}`)));
      }),
  };
}

// Escape sequences of colours and cursor movements.
const COLOURS = new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[A-Za-z]`, 'g');
