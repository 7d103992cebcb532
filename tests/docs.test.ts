import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type DocExample,
  type DocProgram,
  docFiles,
  examplesOf,
  placeInDocs,
  printsAsShown,
  programsOf,
  readDocExamples,
} from '../scripts/doc-examples.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Inside the repository, so that examples find the packages as any file of a user's project would. */
const FOLDER = join(ROOT, 'node_modules/.cache/doc-examples');
const BIN = join(FOLDER, 'bin');
const SOURCES = ['--conditions=@signalbox/source', '--import', import.meta.resolve('tsx')];

/** Each command of a console is a process or two. */
const CONSOLE_MS = 120_000;

const WRONG_PAGE = '```ts\nconst a = 1;\n```\n\n```ts continues\nconst b: string = a;\n```\n';

const EXAMPLES = readDocExamples(ROOT);
const PROGRAMS = withPaths('program', programsOf(EXAMPLES));
const WRONG = withPaths('wrong', programsOf(examplesOf('page.md', WRONG_PAGE)));
const RUNNABLE = PROGRAMS.filter(({ blocks }) => blocks.at(-1)!.words.includes('run')).map(program => ({
  ...program,
  at: placeOf(program.blocks.at(-1)!),
}));
const CONSOLES = EXAMPLES.filter(({ language, words }) => language === 'console' && words.includes('run'));

beforeAll(async () => {
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(BIN, { recursive: true });
  await writeFile(join(FOLDER, 'package.json'), '{ "type": "module" }');
  const command = join(ROOT, 'packages/signalbox/bin/signalbox.mjs');
  const options = SOURCES.map(option => `'${option}'`).join(' ');
  await writeFile(join(BIN, 'signalbox'), `#!/bin/sh\nexec '${process.execPath}' ${options} '${command}' "$@"\n`);
  await chmod(join(BIN, 'signalbox'), 0o755);
  for (const { path, text } of [...PROGRAMS, ...WRONG]) await writeFile(path, text);
  for (const file of new Set(CONSOLES.map(example => example.file)))
    if (file.startsWith('examples/')) await copyExample(dirname(join(ROOT, file)), homeOf({ file }));
  for (const example of EXAMPLES) {
    const name = example.words.find(word => word.startsWith('file='))?.slice('file='.length);
    if (name !== undefined) await put(join(homeOf(example), name), example.text);
  }
});

afterAll(() => rm(FOLDER, { recursive: true, force: true }));

describe('the examples of the documentation', () => {
  it('are read', () => {
    expect(EXAMPLES.length).toBeGreaterThan(0);
  });

  it('in TypeScript compile', () => {
    expect(compile(PROGRAMS)).toEqual([]);
  });

  it('that do not compile are named by page and line', () => {
    expect(compile(WRONG)).toEqual(["page.md:6 Type 'number' is not assignable to type 'string'."]);
  });

  it.each(RUNNABLE)('at $at runs', async ({ path, blocks }) => {
    const home = path.replace('.ts', '');
    await mkdir(home, { recursive: true });
    const { stdout, stderr, code } = await run(process.execPath, [...SOURCES, path], home);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expectPrinted(blocks.at(-1)!.output, stdout);
  });

  it.each(CONSOLES.map(example => ({ ...example, at: placeOf(example) })))(
    'at $at works in a terminal',
    async example => {
      const home = homeOf(example);
      await mkdir(home, { recursive: true });
      for (const { command, shown } of commandsOf(example.text)) {
        const { stdout, stderr, code } = await run('sh', ['-c', command], home);
        expect([0, 10], `${command}\n${stderr}`).toContain(code);
        expectPrinted(shown === '' ? undefined : shown, stdout);
      }
    },
    CONSOLE_MS,
  );
});

describe('the pages', () => {
  it('link to what is there', () => {
    expect(docFiles(ROOT).flatMap(brokenLinks)).toEqual([]);
  });

  it('list every decision', () => {
    const list = readFileSync(join(ROOT, 'docs/decisions/README.md'), 'utf8');
    const records = readdirSync(join(ROOT, 'docs/decisions')).filter(name => name !== 'README.md');
    expect(records.filter(name => !list.includes(`](${name})`))).toEqual([]);
  });
});

describe('what an example prints', () => {
  it.each([
    ['a\nb', 'a\nb\n', true],
    ['a …', 'a 17 ms\n', true],
    ['a\n…\nd', 'a\nb\nc\nd', true],
    ['a\n…\nd', 'a\nd', true],
    ['a', 'a\nb', false],
    ['a.c', 'abc', false],
    ['a\n…\nd', 'a\nb\nc', false],
  ])('%j against %j: %s', (shown, printed, same) => {
    expect(printsAsShown(shown, printed)).toBe(same);
  });
});

function withPaths(name: string, programs: readonly DocProgram[]): (DocProgram & { readonly path: string })[] {
  return programs.map((program, index) => ({ ...program, path: join(FOLDER, `${name}-${index}.ts`) }));
}

function placeOf(example: DocExample): string {
  return `${example.file}:${example.line}`;
}

/** Where the consoles of one page run; they share it, as a reader's terminal would. */
function homeOf({ file }: Pick<DocExample, 'file'>): string {
  return join(FOLDER, 'home', file.replaceAll('/', '-'));
}

/** An example as a reader has it who has just fetched it. */
async function copyExample(from: string, to: string): Promise<void> {
  const isOurs = (path: string) => !/[\\/](node_modules|\.signalbox)$/.test(path);
  await cp(from, to, { recursive: true, filter: isOurs });
}

function brokenLinks(file: string): string[] {
  const prose = readFileSync(join(ROOT, file), 'utf8').replace(/^```[\s\S]*?^```/gm, '');
  const targets = [...prose.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(match => match[1]!);
  const broken = targets.filter(target => !existsSync(join(ROOT, dirname(file), target)));
  return broken.map(target => `${file} → ${target}`);
}

function compile(programs: typeof PROGRAMS): string[] {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.check.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, ROOT);
  const program = ts.createProgram(
    programs.map(({ path }) => path),
    { ...options, noUnusedLocals: false, noUnusedParameters: false, moduleDetection: ts.ModuleDetectionKind.Force },
  );
  return programs.flatMap(each => {
    const file = program.getSourceFile(each.path)!;
    return ts.getPreEmitDiagnostics(program, file).map(({ start = 0, messageText }) => {
      const { line } = file.getLineAndCharacterOfPosition(start);
      return `${placeInDocs(each, line)} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
    });
  });
}

function commandsOf(text: string): { command: string; shown: string }[] {
  return text
    .split(/^\$ /m)
    .slice(1)
    .map(part => {
      const [command = '', ...shown] = part.split('\n');
      return { command, shown: shown.join('\n').trim() };
    });
}

function expectPrinted(shown: string | undefined, printed: string): void {
  if (shown !== undefined && !printsAsShown(shown, printed)) expect(printed).toBe(shown);
}

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

async function run(
  file: string,
  args: string[],
  cwd: string,
): Promise<{ stdout: string; stderr: string; code: number }> {
  // Whoever has keys does not pay for tests.
  const keys = { OPENAI_API_KEY: '', ANTHROPIC_API_KEY: '' };
  const env = { ...process.env, ...keys, PATH: `${BIN}:${process.env.PATH}`, NO_COLOR: '1', NODE_OPTIONS: '' };
  return promisify(execFile)(file, args, { cwd, env }).then(
    ({ stdout, stderr }) => ({ stdout, stderr, code: 0 }),
    (error: { stdout: string; stderr: string; code: number }) => error,
  );
}
