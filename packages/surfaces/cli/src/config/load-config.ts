import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { closest, SignalboxError } from '@signalbox/kernel';
import type { Config } from './config.ts';
import { loadModule } from './load-module.ts';

export interface LoadedConfig extends Config {
  /** The file; absent where there is none. */
  readonly path?: string;
  /** What its relative paths are relative to. */
  readonly folder: string;
}

const DEFAULT_NAMES = ['signalbox.config.ts', 'signalbox.config.mts', 'signalbox.config.js', 'signalbox.config.mjs'];

/**
 * The configuration named, else `signalbox.config.ts` of the working folder, else an empty one.
 *
 * @throws SignalboxError `InvalidConfig`, `ModuleFailed`
 */
export async function loadConfig(cwd: string, named: string | undefined): Promise<LoadedConfig> {
  const path = named === undefined ? defaultPath(cwd) : resolve(cwd, named);
  if (path === undefined) return { folder: cwd };
  if (!existsSync(path))
    throw invalid(path, 'There is no such file.', 'Check the path; it is relative to the working folder.');
  const { default: config } = await loadModule(path);
  if (config === undefined) throw invalid(path, 'It has no default export.');
  if (typeof config !== 'object' || config === null) throw invalid(path, 'Its default export is no object.');
  for (const name of Object.keys(config)) if (!isSetting(name)) throw invalid(path, unknownSetting(name));
  const known = config as Config;
  for (const name of ['graphs', 'types', 'channels'] as const)
    if (known[name] !== undefined && !Array.isArray(known[name])) throw invalid(path, `\`${name}\` is not a list.`);
  if (known.store !== undefined && typeof known.store !== 'string') throw invalid(path, '`store` is not a text.');
  return { ...known, path, folder: dirname(path) };
}

function defaultPath(cwd: string): string | undefined {
  return DEFAULT_NAMES.map(name => resolve(cwd, name)).find(existsSync);
}

/** Keyed by the whole of it, so that a new setting does not compile until it stands here. */
const SETTINGS: Readonly<Record<keyof Config, true>> = {
  graphs: true,
  types: true,
  channels: true,
  store: true,
  durability: true,
  payloadLimit: true,
  checks: true,
  models: true,
  secrets: true,
  identity: true,
  resolvers: true,
  sessionMetadata: true,
  observer: true,
  build: true,
};

function isSetting(name: string): name is keyof Config {
  return Object.hasOwn(SETTINGS, name);
}

function unknownSetting(name: string): string {
  const meant = closest(name, Object.keys(SETTINGS));
  const all = Object.keys(SETTINGS).join(', ');
  return `There is no setting \`${name}\`${meant === undefined ? `; there are ${all}.` : `; did you mean \`${meant}\`?`}`;
}

const HINT = 'Write `export default defineConfig({ graphs: […], types: […] })`.';

function invalid(path: string, reason: string, hint = HINT): SignalboxError {
  return new SignalboxError('InvalidConfig', `${path} is no configuration: ${reason}`, {
    hint,
    details: { file: path },
  });
}
