import { PassThrough, Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import xterm from '@xterm/headless';
import { createFormTerminal, type FormTerminal, type FormTerminalOptions } from '../form-terminal.ts';

const ROWS = 60;
/** After which a test ends with what is on the screen, and does not hang. */
const PATIENCE_MS = 10_000;

/** A terminal that is not there, with somebody at it: what is drawn can be looked at, keys can be pressed. */
export class VirtualTerminal {
  readonly columns: number;
  readonly input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
  readonly output: Writable & { isTTY: boolean; columns: number; rows: number };
  /** Everything that was written, as it was written. */
  written = '';
  readonly #screen;
  readonly #watchers = new Set<() => void>();
  #seen = 0;

  constructor(columns = 80) {
    this.columns = columns;
    this.#screen = new xterm.Terminal({
      cols: columns,
      rows: ROWS,
      allowProposedApi: true,
      convertEol: true,
      scrollback: 5000,
    });
    const write = (chunk: Buffer, _encoding: string, done: () => void) => {
      this.written += chunk.toString('utf8');
      this.#screen.write(chunk, () => {
        for (const look of this.#watchers) look();
      });
      done();
    };
    // Like a process's own streams it never ends, whoever pipes into it.
    const end = () => this.output;
    this.output = Object.assign(new Writable({ write }), { isTTY: true, columns, rows: ROWS, end });
  }

  form(options: Partial<FormTerminalOptions> = {}): FormTerminal {
    return createFormTerminal({ input: this.input, output: this.output, env: { NO_COLOR: '1' }, ...options });
  }

  /** Resolves when the text was written after what was waited for before; rejects when it never comes. */
  sees(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = setTimeout(() => {
        this.#watchers.delete(look);
        void this.screen().then(rows => reject(new Error(`There is no "${text}" on the screen:\n${rows.join('\n')}`)));
      }, PATIENCE_MS);
      const look = () => {
        const plain = stripVTControlCharacters(this.written);
        const at = plain.indexOf(text, this.#seen);
        if (at < 0) return;
        this.#seen = at + text.length;
        this.#watchers.delete(look);
        clearTimeout(giveUp);
        resolve();
      };
      this.#watchers.add(look);
      look();
    });
  }

  /** Keys as one piece, as a paste or an input method writes them. */
  press(...keys: readonly string[]): void {
    this.input.write(keys.join(''));
  }

  async answer(shown: string, ...keys: readonly string[]): Promise<void> {
    await this.sees(shown);
    // The prompt listens once its first drawing is done.
    await new Promise(proceed => setImmediate(proceed));
    this.press(...keys);
  }

  /** The rows of the screen and what has left it at the top, without the blanks at their ends. */
  async screen(): Promise<string[]> {
    await new Promise<void>(drawn => this.#screen.write('', drawn));
    const { active } = this.#screen.buffer;
    const rows = Array.from({ length: active.length }, (_, row) => active.getLine(row)!.translateToString(true));
    while (rows.at(-1) === '') rows.pop();
    return rows;
  }

  /** The row in which the cursor stands, and its column. */
  async cursor(): Promise<{ row: string; column: number }> {
    await new Promise<void>(drawn => this.#screen.write('', drawn));
    const { active } = this.#screen.buffer;
    const row = active.getLine(active.baseY + active.cursorY)!.translateToString(true);
    return { row, column: active.cursorX };
  }
}

export const ENTER = '\r';
export const UP = '\u001b[A';
export const DOWN = '\u001b[B';
export const RIGHT = '\u001b[C';
export const LEFT = '\u001b[D';
export const HOME = '\u001b[H';
export const SPACE = ' ';
export const BACKSPACE = '\u007f';
export const CTRL_C = '\u0003';
export const CTRL_D = '\u0004';
export const CTRL_X = '\u0018';
