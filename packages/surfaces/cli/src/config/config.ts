import type { BoxOptions, Graph, NodeType } from '@signalbox/core';

/** What `signalbox.config.ts` exports by default. */
export interface Config {
  /** Graphs, or paths of graph files relative to the configuration. */
  readonly graphs?: readonly (Graph | string)[];
  /** Node types that graph files may use. */
  readonly types?: readonly NodeType[];
  /** `sqlite:PATH`, relative to the configuration; default `sqlite:.signalbox/signalbox.db`. */
  readonly store?: string;
  /** `strict` (default): what was reported done survives the loss of power; `relaxed`: the death of the process. */
  readonly durability?: 'strict' | 'relaxed';
  /** Values larger than this, in characters of JSON, stand apart from the log and can be erased; default 65,536. */
  readonly payloadLimit?: number;
  readonly checks?: BoxOptions['checks'];
  /** What agents call. */
  readonly models?: BoxOptions['models'];
  /** Where secrets are that tools and models name by reference; default: the environment. */
  readonly secrets?: BoxOptions['secrets'];
  /** Where it is published what happens to requests, while a command that drives runs is at work. */
  readonly channels?: BoxOptions['channels'];
  /** Who has which role, for questions that are assigned to one; without it roles are not known. */
  readonly identity?: BoxOptions['identity'];
  /** By the name of a service: what answers for it, while a command drives the run that asks. */
  readonly resolvers?: BoxOptions['resolvers'];
  /** Schema of the metadata of sessions, which is held against it where it is given and where it changes. */
  readonly sessionMetadata?: BoxOptions['sessionMetadata'];
  readonly observer?: BoxOptions['observer'];
  /**
   * Names this build of the code in the log (`run.claimed`); default: name and version of the nearest `package.json`, such as
   * `desk@1.4.0`, and `unknown` where that has none.
   */
  readonly build?: string;
}

/** Gives a configuration its types; it is handed back as it is. */
export function defineConfig(config: Config): Config {
  return config;
}
