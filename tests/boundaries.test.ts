import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CRUISER = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');

interface Breach {
  readonly title: string;
  /** The rule that has to speak, and the file that it has to name. */
  readonly rule: string;
  readonly file: string;
  readonly source: string;
}

const KERNEL = 'packages/core/kernel/src/bad.ts';
const SQLITE = 'packages/stores/sqlite/src/bad.ts';

const BREACHES: readonly Breach[] = [
  breach('the kernel importing a port', 'kernel-arrows', KERNEL, "import '../../ports/src/index.ts';"),
  breach(
    'the kernel importing only a type of a port',
    'kernel-arrows',
    'packages/core/kernel/src/bad-type.ts',
    "import type { P } from '../../ports/src/index.ts';\nexport type Q = P;",
  ),
  breach('the kernel reading a file', 'kernel-no-node', 'packages/core/kernel/src/bad-io.ts', "import 'node:fs';"),
  breach(
    'the kernel taking in a package that is not listed',
    'kernel-packages',
    'packages/core/kernel/src/bad-package.ts',
    "import 'chatty';",
  ),
  breach(
    'a port importing the runtime',
    'ports-arrows',
    'packages/core/ports/src/bad.ts',
    "import '../../runtime/src/index.ts';",
  ),
  breach(
    'the runtime importing a store',
    'runtime-arrows',
    'packages/core/runtime/src/bad.ts',
    "import '../../../stores/memory/src/index.ts';",
  ),
  breach(
    'the facade importing a host',
    'facade-arrows',
    'packages/core/facade/src/bad.ts',
    "import '../../../hosts/embedded/src/index.ts';",
  ),
  breach('a store importing its sibling', 'stores-arrows', SQLITE, "import '../../memory/src/index.ts';"),
  breach(
    'a store importing the suite outside its tests',
    'stores-arrows',
    'packages/stores/sqlite/src/bad-suite.ts',
    "import '../../../testing/conformance/src/index.ts';",
  ),
  breach(
    'a test of a store importing its sibling',
    'stores-test-arrows',
    'packages/stores/sqlite/src/bad.test.ts',
    "import '../../memory/src/index.ts';",
  ),
  breach(
    'a host importing the runtime',
    'hosts-arrows',
    'packages/hosts/embedded/src/bad.ts',
    "import '../../../core/runtime/src/index.ts';",
  ),
  breach(
    'a channel importing the runtime',
    'delivery-arrows',
    'packages/delivery/webhook/src/bad.ts',
    "import '../../../core/runtime/src/index.ts';",
  ),
  breach(
    'a channel importing its sibling',
    'delivery-arrows',
    'packages/delivery/email/src/bad.ts',
    "import '../../webhook/src/index.ts';",
  ),
  breach(
    'a model importing the runtime',
    'models-arrows',
    'packages/models/ai-sdk/src/bad.ts',
    "import '../../../core/runtime/src/index.ts';",
  ),
  breach(
    'the conformance suite importing a store',
    'conformance-arrows',
    'packages/testing/conformance/src/bad.ts',
    "import '../../../stores/memory/src/index.ts';",
  ),
  breach(
    'the command line importing what installs it',
    'cli-arrows',
    'packages/surfaces/cli/src/bad.ts',
    "import '../../../signalbox/src/index.ts';",
  ),
  breach(
    'the terminal form importing a store',
    'terminal-form-arrows',
    'packages/surfaces/terminal-form/src/bad.ts',
    "import '../../../stores/sqlite/src/index.ts';",
  ),
  breach(
    'a package importing an example',
    'roots-are-outermost',
    'packages/signalbox/src/bad.ts',
    "import '../../../examples/desk/main.ts';",
  ),
  breach(
    'an example reaching into the sources of a package',
    'front-door-only',
    'examples/desk/bad.ts',
    "import '../../packages/core/runtime/src/inner.ts';",
  ),
  breach(
    'a test of the whole reaching into the sources of a package',
    'front-door-only-of-tests',
    'tests/bad-reach.test.ts',
    "import '../packages/core/runtime/src/inner.ts';",
  ),
  breach(
    'a package importing what its package.json does not name',
    'declared-dependencies',
    'packages/signalbox/src/bad-package.ts',
    "import 'chatty';",
  ),
  breach('two files needing each other', 'no-cycles', 'packages/core/runtime/src/here.ts', "import './there.ts';"),
  breach(
    'two files needing only types of each other',
    'no-cycles',
    'packages/core/runtime/src/here-type.ts',
    "import type { There } from './there-type.ts';\nexport type Here = There;",
  ),
  breach(
    'the testkit importing the command line',
    'testkit-arrows',
    'packages/testing/testkit/src/bad.ts',
    "import '../../../surfaces/cli/src/index.ts';",
  ),
  breach('a port using node', 'ports-no-node', 'packages/core/ports/src/bad-io.ts', "import 'node:fs';"),
  ...['ports', 'runtime', 'facade'].map(name =>
    breach(
      `the ${name} taking in a package that is not listed`,
      `${name}-packages`,
      `packages/core/${name}/src/bad-package.ts`,
      "import 'chatty';",
    ),
  ),
  ...[
    'core/kernel',
    'core/ports',
    'core/runtime',
    'core/facade',
    'hosts/embedded',
    'delivery/webhook',
    'models/ai-sdk',
    'testing/conformance',
    'testing/testkit',
    'surfaces/cli',
    'surfaces/terminal-form',
  ].map(place => {
    const [folder, name] = place.split('/') as [string, string];
    const layer = ['hosts', 'delivery', 'models'].includes(folder) ? folder : name;
    return breach(
      `a test of ${place} importing the composition`,
      `${layer}-test-arrows`,
      `packages/${place}/src/bad.test.ts`,
      "import '../../../signalbox/src/index.ts';",
    );
  }),
  breach(
    'what is shipped importing a helper of tests',
    'tests-are-not-shipped',
    'packages/core/runtime/src/bad-helper.ts',
    "import './testing/helper.ts';",
  ),
  breach('an import that leads nowhere', 'resolvable', 'packages/core/runtime/src/lost.ts', "import './nowhere.ts';"),
];

/** What the rules must let pass. */
const ALLOWED: Readonly<Record<string, string>> = {
  'packages/core/kernel/src/good.test.ts': "import 'node:fs';",
  'packages/core/kernel/src/state/testing/helper.ts': "import 'node:fs';",
  'packages/core/ports/src/good.ts': "import '../../kernel/src/index.ts';",
  'packages/core/runtime/src/good.test.ts': "import '../../../stores/memory/src/index.ts';",
  'packages/stores/sqlite/src/good.test.ts': "import '../../../testing/conformance/src/index.ts';",
  'packages/surfaces/cli/src/good.ts':
    "import '../../../stores/sqlite/src/index.ts';\nimport '../../../core/facade/src/index.ts';",
  'examples/desk/main.ts': "import '../../packages/signalbox/src/index.ts';",
};

const SURROUNDINGS: Readonly<Record<string, string>> = {
  'packages/core/runtime/src/inner.ts': 'export {};',
  'packages/core/runtime/src/testing/helper.ts': 'export {};',
  'packages/core/runtime/src/there.ts': "import './here.ts';",
  'packages/core/runtime/src/there-type.ts': "import type { Here } from './here-type.ts';\nexport type There = Here;",
  'node_modules/chatty/package.json': '{ "name": "chatty", "version": "1.0.0", "main": "index.js" }',
  'node_modules/chatty/index.js': '',
};

const PACKAGES = [
  'core/kernel',
  'core/ports',
  'core/runtime',
  'core/facade',
  'stores/memory',
  'stores/sqlite',
  'hosts/embedded',
  'delivery/webhook',
  'delivery/email',
  'models/ai-sdk',
  'surfaces/cli',
  'testing/conformance',
  'testing/testkit',
  'signalbox',
];

interface Violation {
  readonly from: string;
  readonly rule: { readonly name: string };
}

let folder: string;
let violations: readonly Violation[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'boundaries-'));
  for (const name of PACKAGES) {
    await write(`packages/${name}/package.json`, '{ "type": "module" }');
    await write(`packages/${name}/src/index.ts`, 'export type P = 1;');
  }
  for (const [path, source] of Object.entries({ ...SURROUNDINGS, ...ALLOWED })) await write(path, source);
  for (const { file, source } of BREACHES) await write(file, source);
  for (const file of ['.dependency-cruiser.cjs', 'tsconfig.check.json', 'tsconfig.base.json']) {
    await cp(join(ROOT, file), join(folder, file));
  }
  violations = await cruise(folder);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the boundary rules', () => {
  it.each(BREACHES)('refuse $title', ({ rule, file }) => {
    expect(violations.filter(({ from }) => from === file).map(each => each.rule.name)).toContain(rule);
  });

  it.each(Object.keys(ALLOWED))('let %s pass', file => {
    expect(violations.filter(({ from }) => from === file)).toEqual([]);
  });

  it('are all exercised here', () => {
    const exercised = new Set(BREACHES.map(({ rule }) => rule));
    expect(ruleNames().filter(name => !exercised.has(name))).toEqual([]);
  });
});

function ruleNames(): string[] {
  const config = createRequire(import.meta.url)(join(ROOT, '.dependency-cruiser.cjs')) as {
    forbidden: readonly { name: string }[];
  };
  return config.forbidden.map(({ name }) => name);
}

function breach(title: string, rule: string, file: string, source: string): Breach {
  return { title, rule, file, source };
}

async function write(path: string, source: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), source);
}

/** The real rules over the given folder. The cruiser's exit code is its number of errors, so it is not looked at. */
async function cruise(cwd: string): Promise<readonly Violation[]> {
  const args = [CRUISER, '--config', '.dependency-cruiser.cjs', '-T', 'json', 'packages', 'examples', 'tests'];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd, maxBuffer: 64 * 1024 * 1024 }).catch(
    (error: { stdout: string }) => error,
  );
  return (JSON.parse(stdout) as { summary: { violations: Violation[] } }).summary.violations;
}
