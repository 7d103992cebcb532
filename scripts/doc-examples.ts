import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The fenced blocks of the documentation. What stands behind the language says what is done with a block:
 *
 *   ts                     compiled
 *   ts continues           compiled as the continuation of the ts block before it in the same file
 *   ts run                 compiled and run; `text output` right behind it is what it prints
 *   yaml graph             loaded as a graph, without a fault
 *   yaml contract          loaded as a contract, without an error
 *   yaml fault             loaded as a graph (`yaml contract fault`: a contract), with the fault whose code is the page's name
 *   console run            every line after `$ ` is executed, the lines below it are what it prints
 *
 * `file=NAME` also writes a block where consoles of its page find it; those of an example's page run in a copy of the
 * example. In what is printed, `…` stands for anything within a
 * line, and a line `…` for any number of lines.
 */
export interface DocExample {
  /** Relative to the repository, with `/`. */
  readonly file: string;
  /** Line of the first line of `text`, from 1. */
  readonly line: number;
  readonly language: string;
  readonly words: readonly string[];
  readonly text: string;
  /** The `text output` block right behind this one. */
  readonly output: string | undefined;
}

const FENCE = /^(`{3,})([^\n`]*)\n([\s\S]*?)^\1[ \t]*$/gm;
const OUTPUT = /^\s*```text output\n([\s\S]*?)^```[ \t]*$/m;

export function readDocExamples(root: string): DocExample[] {
  return docFiles(root).flatMap(file => examplesOf(file, readFileSync(join(root, file), 'utf8')));
}

export function docFiles(root: string): string[] {
  const docs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' });
  const pages = docs.map(name => `docs/${name.replaceAll('\\', '/')}`).toSorted();
  const examples = readdirSync(join(root, 'examples')).flatMap(name =>
    readdirSync(join(root, 'examples', name)).map(file => `examples/${name}/${file}`),
  );
  return [...readdirSync(root), ...pages, ...examples].filter(file => file.endsWith('.md'));
}

export function examplesOf(file: string, text: string): DocExample[] {
  return [...text.matchAll(FENCE)].map(match => {
    const [language = '', ...words] = match[2]!.trim().split(/\s+/);
    const behind = OUTPUT.exec(text.slice(match.index + match[0].length));
    const output = behind?.index === 0 ? behind[1] : undefined;
    return { file, line: text.slice(0, match.index).split('\n').length + 1, language, words, text: match[3]!, output };
  });
}

/** Joins every `ts continues` block to what it continues. `starts` says at which line of `text` each block begins, from 0. */
export interface DocProgram {
  readonly blocks: readonly DocExample[];
  readonly starts: readonly number[];
  readonly text: string;
}

export function programsOf(examples: readonly DocExample[]): DocProgram[] {
  const programs: DocProgram[] = [];
  for (const block of examples.filter(({ language }) => language === 'ts')) {
    const before = programs.at(-1);
    if (!block.words.includes('continues')) {
      programs.push({ blocks: [block], starts: [0], text: block.text });
      continue;
    }
    if (before === undefined || before.blocks[0]!.file !== block.file)
      throw new Error(`${block.file}:${block.line} continues nothing.`);
    programs[programs.length - 1] = {
      blocks: [...before.blocks, block],
      starts: [...before.starts, before.text.split('\n').length - 1],
      text: before.text + block.text,
    };
  }
  return programs;
}

/** Where a line of a program (from 0) stands in the documentation. */
export function placeInDocs(program: DocProgram, line: number): string {
  const index = program.starts.findLastIndex(start => start <= line);
  const block = program.blocks[index]!;
  return `${block.file}:${block.line + line - program.starts[index]!}`;
}

/** Whether something printed is what the documentation shows, `…` standing for anything. Trailing space does not count. */
export function printsAsShown(shown: string, printed: string): boolean {
  const lines = shown
    .trimEnd()
    .split('\n')
    .map(line => line.trimEnd());
  const pattern = lines.map(line => (line === '…' ? '(?:[^\\n]*\\n)*?' : `${lineOf(line)}\\n`)).join('');
  return new RegExp(`^${pattern}$`).test(`${printed.trimEnd().replace(/[ \t]+$/gm, '')}\n`);
}

function lineOf(line: string): string {
  return line
    .split('…')
    .map(part => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    .join('[^\\n]*');
}
