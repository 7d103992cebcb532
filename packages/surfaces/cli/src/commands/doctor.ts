import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { type Cli, withStoreAt } from '../cli.ts';
import { DONE, REFUSED } from '../exit-code.ts';
import { styled } from '../output/output.ts';
import type { Act } from './command.ts';

interface Finding {
  readonly name: string;
  readonly ok: boolean;
  readonly text: string;
  readonly facts?: Readonly<Record<string, unknown>>;
  readonly problems?: readonly string[];
}

export function registerDoctor(program: Command, act: Act): void {
  program.command('doctor').description('look at this machine, the configuration and the store').action(act(doctor));
}

async function doctor(cli: Cli): Promise<number> {
  const findings = [
    nodeFinding(),
    await attempt('configuration', () => configFinding(cli)),
    await attempt('store', () => storeFinding(cli)),
  ];
  const ok = findings.every(finding => finding.ok);
  if (cli.json) cli.out.json({ ok, findings });
  else for (const finding of findings) print(cli, finding);
  return ok ? DONE : REFUSED;
}

function nodeFinding(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const ok = major > 20 || (major === 20 && minor >= 19);
  const problems = ok ? {} : { problems: ['Node.js 20.19 or later is wanted.'] };
  return { name: 'node', ok, text: `${process.version} on ${process.platform} ${process.arch}`, ...problems };
}

async function configFinding(cli: Cli): Promise<Finding> {
  const { path, types = [] } = await cli.config();
  if (path === undefined)
    return { name: 'configuration', ok: true, text: 'none; graph files of built-in types need none' };
  const graphs = (await cli.graphs()).map(({ name }) => name);
  const text = `${path}: graphs ${graphs.join(', ') || 'none'}; types ${types.map(({ key }) => key).join(', ') || 'none'}`;
  return { name: 'configuration', ok: true, text, facts: { path, graphs, types: types.map(({ key }) => key) } };
}

async function storeFinding(cli: Cli): Promise<Finding> {
  const path = await cli.storePath().catch(() => cli.defaultStorePath());
  if (!existsSync(path)) return { name: 'store', ok: true, text: `${path}: not there yet; the first run makes it` };
  return await withStoreAt(path, async store => {
    const { ok, facts, problems } = await store.inspect();
    return { name: 'store', ok, text: path, facts, problems };
  });
}

async function attempt(name: string, look: () => Promise<Finding>): Promise<Finding> {
  try {
    return await look();
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return { name, ok: false, text, problems: [text] };
  }
}

function print({ out }: Cli, { name, ok, text, facts = {}, problems = [] }: Finding): void {
  out.line(styled(ok ? 'green' : 'red', ok ? '✓' : '✗'), ` ${name}  `, text.split('\n')[0]!);
  if (name === 'store')
    for (const [fact, value] of Object.entries(facts)) out.line('    ', styled('dim', `${fact}  `), String(value));
  // The first line of what failed stands there already.
  for (const problem of problems) {
    const rest = problem === text ? problem.split('\n').slice(1).join('\n') : problem;
    if (rest !== '') out.block(rest, '    ');
  }
}
