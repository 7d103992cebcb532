import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { SignalboxError } from '@signalbox/kernel';
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
  if (!existsSync(path)) throw invalid(path, 'There is no such file.');
  const { default: config } = await loadModule(path);
  if (typeof config !== 'object' || config === null) throw invalid(path, 'It has no default export.');
  const known = config as Config;
  for (const name of ['graphs', 'types', 'channels'] as const)
    if (known[name] !== undefined && !Array.isArray(known[name])) throw invalid(path, `\`${name}\` is not a list.`);
  return { ...known, path, folder: dirname(path) };
}

function defaultPath(cwd: string): string | undefined {
  return DEFAULT_NAMES.map(name => resolve(cwd, name)).find(existsSync);
}

function invalid(path: string, reason: string): SignalboxError {
  return new SignalboxError('InvalidConfig', `${path} is no configuration: ${reason}`, {
    hint: 'Write `export default defineConfig({ graphs: […], types: […] })`.',
    details: { file: path },
  });
}
