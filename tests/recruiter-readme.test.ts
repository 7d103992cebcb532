import { execFile } from 'node:child_process';
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { examplesOf, printsAsShown } from '../scripts/doc-examples.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const EXAMPLE = join(ROOT, 'examples/recruiter');
/** Inside the repository, so that the example finds its packages; a copy, so that no store of a reader is touched. */
const HOME = join(ROOT, `node_modules/.cache/recruiter-readme-${process.pid}`);
const NODE = `'${process.execPath}' --conditions=@signalbox/source --import '${import.meta.resolve('tsx')}'`;

vi.setConfig({ testTimeout: 300_000, hookTimeout: 60_000 });

beforeAll(() => cpSync(EXAMPLE, HOME, { recursive: true, filter: from => !from.includes('.signalbox/') }));
afterAll(() => rmSync(HOME, { recursive: true }));

function commandOf(text: string): string {
  return text
    .replace(/^npm run recruiter --/, `${NODE} src/main.ts`)
    .replaceAll('npx signalbox', `${NODE} '${join(ROOT, 'packages/signalbox/bin/signalbox.mjs')}'`);
}

async function printed(command: string): Promise<string> {
  const { OPENAI_API_KEY, ANTHROPIC_API_KEY, OPENAI_BASE_URL, RECRUITER_MODEL, RECRUITER_CONTRACT, ...rest } =
    process.env;
  const env = { ...rest, NO_COLOR: '1', NODE_OPTIONS: '' };
  try {
    return (await promisify(execFile)('sh', ['-c', command], { cwd: HOME, env })).stdout;
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    expect([1, 10], `${command}\n${stderr}`).toContain(code);
    return stdout;
  }
}

it('the README of the recruiter shows what it prints', async () => {
  const consoles = examplesOf('README.md', readFileSync(join(EXAMPLE, 'README.md'), 'utf8'));
  const commands = consoles
    .filter(({ language }) => language === 'console')
    .flatMap(({ text }) => text.split(/^\$ /m).slice(1));
  expect(commands.length).toBeGreaterThan(10);
  for (const each of commands) {
    const [command = '', ...shown] = each.split('\n');
    const text = shown.join('\n').trim();
    const out = await printed(commandOf(command));
    if (!printsAsShown(text, out)) expect(out, command).toBe(text);
  }
});
