import { afterEach, expect, it } from 'vitest';
import type { RunJson } from '../testing/documents.ts';
import { DESK } from '../testing/graphs.ts';
import { Workbench } from '../testing/workbench.ts';
import { packageBuild } from './package-build.ts';

const benches: Workbench[] = [];
afterEach(() => {
  for (const bench of benches.splice(0)) bench.remove();
});

function bench(files: Readonly<Record<string, string>>): Workbench {
  const made = new Workbench();
  benches.push(made);
  for (const [name, text] of Object.entries(files)) made.file(name, text);
  return made;
}

async function buildIn(made: Workbench): Promise<unknown> {
  const { json } = await made.json<RunJson>('run', 'desk.yaml', '--input', '{"message":"hi"}');
  const log = await made.json<{ events: { type: string; data: { build?: string } }[] }>('events', json.runId);
  return log.json.events.find(({ type }) => type === 'run.claimed')?.data.build;
}

it('a run that a command drives names the package whose code that is, with its version', async () => {
  expect(await buildIn(bench({ 'desk.yaml': DESK, 'package.json': '{"name":"desk","version":"1.4.0"}' }))).toBe(
    'desk@1.4.0',
  );
});

it('the configuration says it before any package', async () => {
  const files = { 'package.json': '{"name":"desk","version":"1.4.0"}', 'desk.yaml': DESK };
  const config = "export default { build: '2026-03-02.1' };\n";
  expect(await buildIn(bench({ ...files, 'signalbox.config.ts': config }))).toBe('2026-03-02.1');
});

it('a package without a version, or that cannot be read, is passed over for the one around it', () => {
  const made = bench({
    'package.json': '{"name":"@acme/desk","version":"2.0.0"}',
    'a/package.json': '{"private":true,"name":"a"}',
    'a/b/package.json': '{',
    'a/b/c/graph.yaml': '',
  });
  expect(packageBuild(made.path('a/b/c'))).toBe('@acme/desk@2.0.0');
  expect(packageBuild('/')).toBeUndefined();
});
