import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { isTestFile } from '../scripts/test-file.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly overrides?: Readonly<Record<string, string>>;
  readonly allowScripts?: Readonly<Record<string, boolean>>;
}

const MANIFESTS = ['package.json', ...workspaceManifests()];
const LOCK = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, { resolved?: string; link?: boolean; integrity?: string; hasInstallScript?: boolean }>;
};

describe('the dependencies', () => {
  it.each(MANIFESTS)('of %s have one fixed version each', path => {
    const ranges = Object.entries(installed(readManifest(path))).filter(([, range]) => !/^\d+\.\d+\.\d+/.test(range));
    expect(ranges).toEqual([]);
  });

  it.each(MANIFESTS)('of %s each have a line in docs/dependencies.md', path => {
    const lines = documented();
    expect(foreign(readManifest(path)).filter(name => !lines.includes(name))).toEqual([]);
  });

  it('that docs/dependencies.md explains are all in use, each explained once', () => {
    const used = new Set(MANIFESTS.flatMap(path => foreign(readManifest(path))));
    const lines = documented();
    expect(lines.filter((name, index) => !used.has(name) || lines.indexOf(name) !== index)).toEqual([]);
  });

  it.each(MANIFESTS.slice(1))('that the sources beside %s import are those that it names', path => {
    const manifest = readManifest(path);
    const named = new Set(Object.keys({ ...installed(manifest), ...manifest.peerDependencies }));
    const missing = importedPackages(join(ROOT, dirname(path), 'src')).filter(
      name => !named.has(name) && name !== manifest.name,
    );
    expect(missing).toEqual([]);
  });
});

describe('the lock file', () => {
  it('names no address to download from, but a checksum', () => {
    const entries = Object.entries(LOCK.packages).filter(([path, { link }]) => path.includes('node_modules/') && !link);
    expect(entries.length).toBeGreaterThan(50);
    expect(entries.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
    expect(entries.filter(([, { integrity }]) => !integrity)).toEqual([]);
  });

  it('brings install scripts only of packages that package.json approves', () => {
    const scripts = Object.entries(LOCK.packages)
      .filter(([, { hasInstallScript, link }]) => hasInstallScript && !link)
      .map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length));
    const approved = readManifest('package.json').allowScripts ?? {};
    expect(scripts.filter(name => name !== '' && approved[name] !== true)).toEqual([]);
  });
});

function workspaceManifests(): string[] {
  const groups = (readManifest('package.json') as { workspaces?: string[] }).workspaces ?? [];
  return groups.flatMap(group => {
    if (!group.endsWith('/*')) return [`${group}/package.json`];
    const parent = group.slice(0, -2);
    return readdirSync(join(ROOT, parent)).map(name => `${parent}/${name}/package.json`);
  });
}

function readManifest(path: string): Manifest {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as Manifest;
}

function installed(manifest: Manifest): Record<string, string> {
  return {
    ...manifest.dependencies,
    ...manifest.devDependencies,
    ...manifest.optionalDependencies,
    ...manifest.overrides,
  };
}

function foreign(manifest: Manifest): string[] {
  const names = Object.keys({ ...installed(manifest), ...manifest.peerDependencies });
  return names.filter(name => name !== 'signalbox' && !name.startsWith('@signalbox/'));
}

/** The packages that stand at the beginning of a table row: `| \`name\` | why |`. */
function documented(): string[] {
  const text = readFileSync(join(ROOT, 'docs/dependencies.md'), 'utf8');
  return [...text.matchAll(/^\| `([^`]+)` \| .*\w.* \|$/gm)].map(match => match[1]!);
}

/** Packages that the sources of one folder import, tests apart (they may use what the workspace has). */
function importedPackages(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const paths = files.map(file => join(folder, file));
  const sources = paths.filter(path => path.endsWith('.ts') && !path.endsWith('.d.ts') && !isTestFile(path));
  const specifiers = sources.flatMap(path => {
    const { importedFiles } = ts.preProcessFile(readFileSync(path, 'utf8'));
    return importedFiles.map(({ fileName }) => fileName);
  });
  const bare = specifiers.filter(name => !/^(\.|node:)/.test(name) && !builtinModules.includes(name));
  const packages = bare.map(name =>
    name
      .split('/')
      .slice(0, name.startsWith('@') ? 2 : 1)
      .join('/'),
  );
  return [...new Set(packages)];
}
