import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { main } from '../main.ts';

/** What a command printed and the code it ended with. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Inside the repository, so that configurations find the packages as any file of a user's project would. */
const HOME = fileURLToPath(new URL('../../../../../node_modules/.cache/cli-tests/', import.meta.url));
const BIN = fileURLToPath(new URL('../../../../signalbox/bin/signalbox.mjs', import.meta.url));
const SOURCES = ['--conditions=@signalbox/source', '--import', import.meta.resolve('tsx')];

/** A folder of its own in which commands run. */
export class Workbench {
  readonly folder: string;

  constructor() {
    mkdirSync(HOME, { recursive: true });
    this.folder = mkdtempSync(join(HOME, 'work-'));
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  file(name: string, text: string): string {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), text);
    return name;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** The command in this process, with nobody at the terminal. */
  async run(...argv: string[]): Promise<Ended> {
    return await this.runWithInput('', ...argv);
  }

  async runWithInput(input: string, ...argv: string[]): Promise<Ended> {
    const [stdout, stderr] = [new Paper(), new Paper()];
    const stdin = new PassThrough();
    stdin.end(input);
    const code = await main(argv, { stdin, stdout, stderr, env: {}, cwd: this.folder });
    return { code, stdout: stdout.text, stderr: stderr.text };
  }

  /** As {@link run}, with `--json`: the document that was printed beside the code. */
  async json<Document>(...argv: string[]): Promise<{ readonly code: number; readonly json: Document }> {
    const { code, stdout } = await this.run(...argv, '--json');
    return { code, json: JSON.parse(stdout) as Document };
  }

  /** The built command, not the sources, in a terminal of its own. */
  terminal(env: Readonly<Record<string, string>>, ...argv: string[]): BinTerminal {
    return new BinTerminal(this.folder, env, argv);
  }

  /** The real command in a process of its own. */
  bin(...argv: string[]): BinProcess {
    return new BinProcess(this.folder, argv);
  }
}

/** The built command in a real terminal, which `script` (util-linux, BSD) makes; what is typed goes through it. */
export class BinTerminal {
  readonly ended: Promise<number>;
  readonly #process;
  #shown = '';
  #from = 0;

  constructor(cwd: string, env: Readonly<Record<string, string>>, argv: readonly string[]) {
    const command = `stty cols 80 rows 40; exec ${[process.execPath, BIN, ...argv].map(quoted).join(' ')}`;
    const shell =
      process.platform === 'darwin' ? ['-q', '/dev/null', 'sh', '-c', command] : ['-qec', command, '/dev/null'];
    this.#process = spawn('script', shell, { cwd, env: { ...process.env, NODE_OPTIONS: '', ...env } });
    this.#process.stdout.on('data', chunk => {
      this.#shown += chunk;
    });
    this.ended = new Promise(resolve => this.#process.on('close', code => resolve(code ?? -1)));
  }

  /** Everything that was shown, without colours and movements. */
  shown(): string {
    return plain(this.#shown);
  }

  /** Types the keys once the text is shown after what was waited for before. */
  async answer(text: string, keys: string): Promise<void> {
    for (;;) {
      const at = this.shown().indexOf(text, this.#from);
      if (at >= 0) {
        this.#from = at + text.length;
        break;
      }
      await new Promise(proceed => setTimeout(proceed, 20));
    }
    this.#process.stdin.write(keys);
  }
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

class Paper extends Writable {
  text = '';

  /** Like a process's own streams it never ends, whoever pipes into it. */
  override end(): this {
    return this;
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString('utf8');
    done();
  }
}

export class BinProcess {
  readonly ended: Promise<Ended>;
  readonly #process;
  #stdout = '';

  constructor(cwd: string, argv: readonly string[]) {
    const env = { ...process.env, NO_COLOR: '1', NODE_OPTIONS: '' };
    this.#process = spawn(process.execPath, [...SOURCES, BIN, ...argv], { cwd, env });
    let stderr = '';
    this.#process.stdout.on('data', chunk => {
      this.#stdout += chunk;
    });
    this.#process.stderr.on('data', chunk => {
      stderr += chunk;
    });
    this.#process.stdin.end();
    this.ended = new Promise(resolve =>
      this.#process.on('close', code => resolve({ code: code ?? -1, stdout: this.#stdout, stderr })),
    );
  }

  kill(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  /** Reads no further, as `head` does. */
  stopReading(): void {
    this.#process.stdout.destroy();
  }
}

/** Somebody at a terminal: what is shown is collected, keys are pressed. */
export class Desk {
  readonly stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
  readonly stdout = Object.assign(new Paper(), { isTTY: true, columns: 200, rows: 50 });

  /** Waits until this is shown, after what was waited for before, and presses the keys. */
  async answer(shown: string, ...keys: string[]): Promise<void> {
    await this.sees(shown);
    for (const key of keys) {
      await new Promise(proceed => setTimeout(proceed, 20));
      this.stdin.write(key);
    }
  }

  #from = 0;

  async sees(shown: string): Promise<void> {
    for (;;) {
      const text = plain(this.stdout.text);
      const at = text.indexOf(shown, this.#from);
      if (at >= 0) {
        this.#from = at + shown.length;
        return;
      }
      await new Promise(proceed => setTimeout(proceed, 10));
    }
  }
}

export const ENTER = '\r';
export const DOWN = '\u001b[B';
export const SPACE = ' ';
export const BACKSPACE = '\u007f';
export const CTRL_C = '\u0003';
export const CTRL_D = '\u0004';
export const CTRL_X = '\u0018';

const SEQUENCE = new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[A-Za-z]`, 'g');

function plain(text: string): string {
  return text.replace(SEQUENCE, '');
}
