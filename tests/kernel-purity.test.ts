import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { findImpurities } from '../scripts/kernel-purity.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

describe('the purity check', () => {
  it.each([
    ['a clock', 'const t = Date.now();', 'Date.now'],
    ['a clock under another name', 'const { now } = Date;', '{ now } = Date'],
    ['a clock by a computed name', "const t = Date['now']();", "Date['now']"],
    ['a date of this moment', 'const d = new Date();', 'new Date()'],
    ['a date of this moment without parentheses', 'const d = new Date;', 'new Date'],
    ['a date that may be of this moment', 'const d = new Date(...args);', 'new Date(...args)'],
    ['a date in local time', 'const d = new Date(2026, 1, 2);', 'new Date(2026, 1, 2)'],
    ['a local hour', 'const h = date.getHours();', 'getHours'],
    ['a random number', 'const r = Math.random();', 'Math.random'],
    ['a random number by a computed name', "const r = Math['random']();", "Math['random']"],
    ['randomness under another name', 'const draw = Math;', 'draw = Math'],
    ['the Temporal clock', 'const t = Temporal.Now.instant();', 'Temporal.Now'],
    ['the Temporal clock by import', "import { Now as clock } from 'temporal-polyfill';", 'Now'],
    ['a promise', 'const p = Promise.resolve(1);', 'Promise'],
    ['the type of a promise', 'export type P = Promise<number>;', 'Promise'],
    ['an async function', 'async function f() {}', 'async'],
    ['an await', 'const v = await x;', 'await'],
    ['a loop that awaits', 'for await (const v of x) f(v);', 'await'],
    ['an import at run time', "const m = import('./m.ts');", 'import()'],
    ['its own place', 'const u = import.meta.url;', 'import.meta'],
    ['everything the machine has', 'const g = globalThis;', 'globalThis'],
    ['text as code', "const f = new Function('return 1');", 'Function'],
    ["the machine's locale", 'const c = a.localeCompare(b);', 'localeCompare'],
    ["the machine's formats", 'const f = new Intl.NumberFormat();', 'Intl'],
  ])('refuses %s', (_, source, what) => {
    expect(findImpurities(`\n${source}`)[0]).toMatchObject({ line: 2, what });
  });

  it.each([
    'const d = new Date(at);',
    'const d = Date.UTC(2026, 0, 1);',
    'const is = value instanceof Date;',
    'export type D = Date;',
    'const n = Math.floor(1.5);',
    'const n = Math[reducer](1, 2);',
    'const z = Temporal.Instant.from(text);',
    "import { Temporal } from 'temporal-polyfill';",
    'const names = { getHours: 1, Promise: 2, async: 3 };',
    "const text = 'Date.now() and await';",
    'export const now = input.now;',
  ])('lets `%s` pass', source => {
    expect(findImpurities(source)).toEqual([]);
  });
});

describe("the kernel's compiler settings", () => {
  it.each(['process.env', 'console.log', 'setTimeout', 'fetch', 'Buffer.alloc', 'document.title', 'performance.now'])(
    'refuse `%s`',
    name => {
      expect(compileInKernel(`export const x = ${name};`)).toEqual([expect.stringMatching(/^Cannot find name/)]);
    },
  );

  it('accept what is pure', () => {
    expect(compileInKernel('export const x = [1].toSorted();')).toEqual([]);
  });
});

/** Compiles a source as if it stood in the kernel, with all that the kernel imports in sight. */
function compileInKernel(text: string): string[] {
  const kernel = join(ROOT, 'packages/core/kernel');
  const configFile = join(kernel, 'tsconfig.json');
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(configFile, path => readFileSync(path, 'utf8')).config,
    ts.sys,
    kernel,
  );
  const file = join(kernel, 'src/probe.ts');
  const packages = ['@bufbuild/cel', 'ajv', 'ajv-formats', 're2js', 'temporal-polyfill', '@noble/hashes/sha2.js'];
  const imports = packages.map((name, index) => `import * as p${index} from '${name}';\nexport { p${index} };`);
  const source = [...imports, text].join('\n');
  const host = ts.createCompilerHost({ ...options, noEmit: true });
  const { getSourceFile, fileExists } = host;
  host.fileExists = path => path === file || fileExists(path);
  host.getSourceFile = (path, ...rest) =>
    path === file ? ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true) : getSourceFile(path, ...rest);
  host.getCurrentDirectory = () => dirname(configFile);
  const program = ts.createProgram([file], { ...options, noEmit: true }, host);
  return ts
    .getPreEmitDiagnostics(program, program.getSourceFile(file))
    .map(each => ts.flattenDiagnosticMessageText(each.messageText, '\n'));
}
