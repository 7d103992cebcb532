import {
  commitMillis,
  type JsonValue,
  jsonEqual,
  type NodeExecution,
  type Run,
  stateObject,
  type Task,
  visibleNodes,
} from '@signalbox/kernel';
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
  /** `signal`: nobody waits for it any more. */
  find(run: Run, task: Task, signal?: AbortSignal): Promise<GoodOutput | undefined>;
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
 *  1. It is of the same version of the graph, and was given for all the same that the node could see: inputs, state, outputs
 *     of other nodes, session. No run is told what was meant for another.
 *  2. Nothing is taken of a node that asked, or waited for a signal: what it was told was told to its run.
 *  3. Nothing is taken from a run that holds sensitive values: they stay where they can be masked and erased.
 */
export class LastGoodInStore implements LastGood {
  readonly #sources: Sources;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  async find(
    run: Run,
    { graph: path, token, node, compiled, execution }: Task,
    signal?: AbortSignal,
  ): Promise<GoodOutput | undefined> {
    const { id, tenant, graph, version } = run;
    const { store, clock } = this.#sources;
    if (path !== '' || execution === undefined) return undefined;
    const since = clock.now() - (compiled.lastGoodMaxAge ?? 0);
    const { rows } = await store.runs({ tenant, graph, limit: MOST_RUNS });
    let best: GoodOutput | undefined;
    for (const row of rows) {
      if (signal?.aborted === true) return undefined;
      if (row.runId === id || row.version !== version || row.updatedAt < Math.max(since, best?.at ?? 0)) continue;
      const good = await this.#inRun(row.runId, { run, token, node, execution });
      if (good !== undefined && good.at >= since && good.at >= (best?.at ?? 0)) best = good;
    }
    return best;
  }

  async #inRun(runId: string, own: Beginning): Promise<GoodOutput | undefined> {
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
      if (data.node !== own.node) continue;
      if (TOLD_BY.has(type) || TOLD_AS.has(data.kind)) return undefined;
      const visit = `${data.token}#${data.visit}`;
      if (type === 'node.started' && begins(run, String(data.token), own)) visits.add(visit);
      else if (type === 'node.succeeded' && data.degraded === undefined && visits.has(visit))
        good = isErased(data.output) ? undefined : { output: data.output ?? null, at: commitMillis(commit.at) };
    }
    return opening.isUnused ? good : undefined;
  }
}

const TOLD_BY: ReadonlySet<string> = new Set(['request.opened', 'request.recalled']);
/** Kinds of operations. */
const TOLD_AS: ReadonlySet<unknown> = new Set(['ask', 'signal', 'first']);

interface Beginning {
  readonly run: Run;
  readonly token: string;
  readonly node: string;
  readonly execution: Pick<NodeExecution, 'input' | 'state'>;
}

/** In the outermost graph: one of the same name elsewhere is another node. */
function begins(run: Run | undefined, token: string, own: Beginning): boolean {
  const found = run?.tokens.get(token);
  if (run === undefined || found?.graph !== '' || found.at.kind !== 'node') return false;
  if (run.session !== own.run.session) return false;
  return jsonEqual(seenBy({ run, token, node: own.node, execution: found.at }), seenBy(own));
}

function seenBy({ run, token, node, execution }: Beginning): JsonValue {
  const others = Object.entries(visibleNodes(run, run.tokens.get(token)!)).filter(([name]) => name !== node);
  const outputs = Object.fromEntries(others.map(([name, { output }]) => [name, output ?? null]));
  return { input: run.input, given: execution.input, state: stateObject(execution.state), outputs };
}
