import { commitMillis, type JsonValue, jsonEqual, type Run, type Task } from '@signalbox/kernel';
import type { Clock, EventStore, KeyRing } from '@signalbox/ports';
import { isErased } from '../log/payloads.ts';
import { Opening } from '../sensitive/opening.ts';
import { foldedEvents, readCommits } from '../views/commits.ts';

export interface GoodOutput {
  readonly output: JsonValue;
  /** Epoch ms. */
  readonly at: number;
}

/** Where a node that failed finds what stands in for it outside its own run. */
export interface LastGood {
  find(run: Run, task: Task): Promise<GoodOutput | undefined>;
}

interface Sources {
  readonly store: EventStore;
  readonly clock: Clock;
  readonly keys: KeyRing;
}

/** Runs looked at, at most, the newest first: a service that is down must not cost a walk through its history. */
const MOST_RUNS = 50;

/**
 * The last good output of a node in other runs, for `fallback: { lastGood }`.
 *  1. It is of the same version of the graph, and was given for the same input: no run is told what was meant for another.
 *  2. Nothing is taken from a run that holds sensitive values: they stay where they can be masked and erased.
 */
export class LastGoodInStore implements LastGood {
  readonly #sources: Sources;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  async find({ id, tenant, graph, version }: Run, task: Task): Promise<GoodOutput | undefined> {
    const { store, clock } = this.#sources;
    if (task.graph !== '' || task.execution === undefined) return undefined;
    const since = clock.now() - (task.compiled.lastGoodMaxAge ?? 0);
    const { rows } = await store.runs({ tenant, graph, limit: MOST_RUNS });
    let best: GoodOutput | undefined;
    for (const row of rows) {
      if (row.runId === id || row.version !== version || row.updatedAt < Math.max(since, best?.at ?? 0)) continue;
      const good = await this.#inRun(row.runId, task.node, task.execution.input);
      if (good !== undefined && good.at >= since && good.at >= (best?.at ?? 0)) best = good;
    }
    return best;
  }

  async #inRun(runId: string, node: string, input: JsonValue): Promise<GoodOutput | undefined> {
    const { store, keys } = this.#sources;
    const opening = new Opening(keys);
    const visits = new Set<string>();
    let good: GoodOutput | undefined;
    let run: Run | undefined;
    const look = (now: Run) => {
      run = now;
    };
    for await (const { commit, event } of foldedEvents(readCommits(store, runId, opening), look)) {
      const { type, data } = event;
      if (data.node !== node) continue;
      const visit = `${data.token}#${data.visit}`;
      if (type === 'node.started' && begins(run, String(data.token), input)) visits.add(visit);
      else if (type === 'node.succeeded' && data.degraded === undefined && visits.has(visit))
        good = isErased(data.output) ? undefined : { output: data.output ?? null, at: commitMillis(commit.at) };
    }
    return opening.isUnused ? good : undefined;
  }
}

/** In the outermost graph: one of the same name elsewhere is another node. */
function begins(run: Run | undefined, token: string, input: JsonValue): boolean {
  const found = run?.tokens.get(token);
  return found?.graph === '' && found.at.kind === 'node' && jsonEqual(found.at.input, input);
}
