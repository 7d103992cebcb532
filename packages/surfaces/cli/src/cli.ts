import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import type { Graph } from '@signalbox/core';
import { SignalboxError } from '@signalbox/kernel';
import type { EventStore } from '@signalbox/ports';
import { type LoadedConfig, loadConfig } from './config/load-config.ts';
import { configuredGraphs } from './graphs/find-graph.ts';
import type { Io } from './io.ts';
import { Output } from './output/output.ts';
import { shellWords } from './output/shell-words.ts';

/** Options that every command has. */
export interface GlobalOptions {
  readonly store?: string;
  readonly config?: string;
  readonly json?: boolean;
  readonly tenant?: string;
  /** Of commands that need code: its files. Of others a filter, which is text. */
  readonly graph?: string | readonly string[];
}

const DEFAULT_STORE = 'sqlite:.signalbox/signalbox.db';

/** What a command works with. Configuration and store are looked at when they are first asked for. */
export class Cli {
  readonly io: Io;
  readonly out: Output;
  readonly json: boolean;
  /** Whose runs, questions and labels are meant. */
  readonly tenant: string;
  readonly #options: GlobalOptions;
  #config: Promise<LoadedConfig> | undefined;
  #graphs: Promise<readonly Graph[]> | undefined;
  readonly #files: string[] = [];

  constructor(io: Io, options: GlobalOptions) {
    this.io = io;
    this.out = new Output(io);
    this.json = options.json === true;
    this.tenant = tenantOf(options.tenant);
    this.#options = options;
    if (Array.isArray(options.graph)) this.#files.push(...options.graph);
  }

  /** What is to be done next cannot do without the code of this file. */
  needs(file: string): void {
    if (!this.#files.includes(file)) this.#files.push(file);
  }

  /** A command to be told: `rest` as it is written, with what this command was told of store, configuration and code. */
  next(rest: string): string {
    const { store, config, tenant } = this.#options;
    const words = [
      ...(store === undefined ? [] : ['--store', store]),
      ...(config === undefined ? [] : ['--config', config]),
      ...(tenant === undefined ? [] : ['--tenant', tenant]),
      ...this.#files.flatMap(file => ['--graph', file]),
    ];
    return `signalbox ${rest}${words.length === 0 ? '' : ` ${shellWords(words)}`}`;
  }

  config(): Promise<LoadedConfig> {
    this.#config ??= loadConfig(this.io.cwd, this.#options.config);
    return this.#config;
  }

  /** The graphs that the configuration names. */
  graphs(): Promise<readonly Graph[]> {
    this.#graphs ??= this.config().then(configuredGraphs);
    return this.#graphs;
  }

  /** The database file: `--store`, else the configuration's, else the default. */
  async storePath(): Promise<string> {
    if (this.#options.store !== undefined) return resolve(this.io.cwd, pathOf(this.#options.store, '--store'));
    const { store, folder } = await this.config();
    return store === undefined
      ? this.defaultStorePath()
      : resolve(folder, pathOf(store, '`store` of the configuration'));
  }

  /** The database file where nobody names one. */
  defaultStorePath(): string {
    return resolve(this.io.cwd, pathOf(DEFAULT_STORE, ''));
  }

  /** The store as it is there, for commands that start no engine; it is closed when `use` is done. */
  async withStore<Result>(use: (store: EventStore) => Promise<Result>): Promise<Result> {
    return await withStoreAt(await this.existingStorePath(), use);
  }

  /** As {@link withStore}, and makes the database when there is none. */
  async withNewStore<Result>(use: (store: EventStore) => Promise<Result>): Promise<Result> {
    return await withStoreAt(await this.storePath(), use);
  }

  /** @throws SignalboxError `StoreMissing`: commands that only look never make a database. */
  async existingStorePath(): Promise<string> {
    const path = await this.storePath();
    if (existsSync(path)) return path;
    throw new SignalboxError('StoreMissing', `There is no database at ${path}.`, {
      hint: '`signalbox run` makes one; `--store sqlite:PATH` names another.',
      details: { path },
    });
  }

  /** Who acts: `--as`, else the user of this machine. */
  actor(as: string | undefined): string {
    return as ?? `user:${loginName(this.io.env)}`;
  }
}

export async function withStoreAt<Result>(path: string, use: (store: EventStore) => Promise<Result>): Promise<Result> {
  const { createSqliteStore } = await import('@signalbox/store-sqlite');
  const store = createSqliteStore({ path });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/** @throws SignalboxError `InvalidStore` */
function pathOf(store: string, where: string): string {
  const path = store.startsWith('sqlite:') ? store.slice('sqlite:'.length) : '';
  if (path !== '') return path;
  throw new SignalboxError('InvalidStore', `${where} names no store: ${JSON.stringify(store)}.`, {
    hint: 'Write sqlite:PATH, such as sqlite:.signalbox/signalbox.db.',
    details: { store },
  });
}

/** @throws SignalboxError `InvalidValue`: a name that is empty is most likely a variable that nobody set. */
function tenantOf(given = 'default'): string {
  if (given !== '') return given;
  throw new SignalboxError('InvalidValue', '--tenant is empty.', { hint: 'Name a tenant, or leave --tenant out.' });
}

function loginName(env: Io['env']): string {
  try {
    return userInfo().username;
  } catch {
    return env.USER ?? env.USERNAME ?? 'unknown';
  }
}
