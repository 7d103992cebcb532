import { jsonText, printable } from '@signalbox/terminal-form/text';
import picocolors from 'picocolors';
import { errorData, ToldError } from '../error-data.ts';
import type { Io } from '../io.ts';

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

export interface Styled {
  readonly text: string;
  readonly style: Style;
}

/** A piece of a line. Styles are named beside the text, never written into it, so that data cannot bring their own. */
export type Part = string | Styled;

export function styled(style: Style, text: string): Styled {
  return { text, style };
}

/** What the command prints: results to stdout, remarks and errors to stderr. */
export class Output {
  readonly #io: Io;
  readonly #colours: ReturnType<typeof picocolors.createColors>;
  readonly #errorColours: ReturnType<typeof picocolors.createColors>;

  constructor(io: Io) {
    this.#io = io;
    this.#colours = picocolors.createColors(hasColours(io, io.stdout));
    this.#errorColours = picocolors.createColors(hasColours(io, io.stderr));
  }

  line(...parts: readonly Part[]): void {
    this.#io.stdout.write(`${textOf(parts, this.#colours)}\n`);
  }

  /** Several lines of data, each made printable. */
  block(text: string, indent = ''): void {
    for (const line of text.replace(/\n$/, '').split('\n')) this.line(indent, line);
  }

  note(...parts: readonly Part[]): void {
    this.#io.stderr.write(`${textOf(parts, this.#errorColours)}\n`);
  }

  /** One JSON document. */
  json(value: unknown): void {
    this.#io.stdout.write(`${jsonText(value, 2)}\n`);
  }

  /**
   * One JSON document around a list that is written while it is read: `{ …head, [name]: [ … ], …tail }`.
   *
   * It stays one document when reading fails half-way: the error then stands behind the list as `error`.
   *
   * @param tail is asked for once the list is over.
   * @throws ToldError
   */
  async jsonList(
    head: object,
    name: string,
    rows: Iterable<unknown> | AsyncIterable<unknown>,
    tail: () => Promise<object> = async () => ({}),
  ): Promise<void> {
    const before = membersOf(head).map(member => `  ${member},\n`);
    await this.write(`{\n${before.join('')}  ${jsonText(name)}: [`);
    let comma = '';
    let failed: unknown;
    let after: object;
    try {
      for await (const row of rows) {
        await this.write(`${comma}\n    ${jsonText(row)}`);
        comma = ',';
      }
      after = await tail();
    } catch (error) {
      failed = new ToldError(error);
      after = { error: errorData(error) };
    }
    const members = membersOf(after).map(member => `,\n  ${member}`);
    await this.write(`${comma === '' ? '' : '\n  '}]${members.join('')}\n}\n`);
    if (failed !== undefined) throw failed;
  }

  /** Text that is printable already. Waits while the reader is slower. */
  async write(text: string): Promise<void> {
    const { stdout } = this.#io;
    if (!stdout.write(text)) await new Promise<void>(resolve => stdout.once('drain', resolve));
  }
}

function membersOf(members: object): string[] {
  return Object.entries(members).map(([name, value]) => `${jsonText(name)}: ${jsonText(value)}`);
}

function textOf(parts: readonly Part[], colours: ReturnType<typeof picocolors.createColors>): string {
  return parts
    .map(part => (typeof part === 'string' ? printable(part) : colours[part.style](printable(part.text))))
    .join('')
    .trimEnd();
}

function hasColours({ env }: Io, stream: Io['stdout']): boolean {
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return false;
  if (env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '0') return true;
  return stream.isTTY === true && env.TERM !== 'dumb';
}
