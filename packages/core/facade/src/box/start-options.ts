import type { StartOptions as EngineStartOptions, RegisteredGraph } from '@signalbox/runtime';
import type { Graph } from '../builder/graph.ts';
import type { Actor } from './principal.ts';

export interface StartOptions extends Omit<EngineStartOptions, 'as' | 'runId'> {
  readonly as?: Actor;
}

/** The version of a graph that a run begins with. */
export type GraphChoice = (
  graph: Graph<never, never> | string,
  options: Pick<StartOptions, 'tenant' | 'label'>,
) => Promise<{ readonly graph: Pick<RegisteredGraph, 'name' | 'program'>; readonly label?: string }>;
