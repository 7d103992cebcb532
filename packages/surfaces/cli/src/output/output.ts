import picocolors from 'picocolors';
import type { Io } from '../io.ts';
import { jsonText, printable } from './printable.ts';

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
   * @param tail is asked for once the list is over.
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
    for await (const row of rows) {
      await this.write(`${comma}\n    ${jsonText(row)}`);
      comma = ',';
    }
    const after = membersOf(await tail()).map(member => `,\n  ${member}`);
    await this.write(`${comma === '' ? '' : '\n  '}]${after.join('')}\n}\n`);
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
