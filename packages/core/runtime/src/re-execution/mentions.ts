import { type Commit, type NodeRef, nodeKey, type StoredEvent } from '@signalbox/kernel';

/** Where a log tells of each visit, and where its driver changes. Commits are named by their index. */
export class Mentions {
  readonly #byVisit = new Map<string, number[]>();
  readonly #changes: number[] = [];

  constructor(history: readonly Commit[]) {
    for (const [index, { events }] of history.entries()) {
      if (events.some(isChange)) this.#changes.push(index);
      for (const { data } of events) if (isVisit(data)) this.#note(nodeKey(data), index);
    }
  }

  /** Whether anything is told of that visit behind the commit, while the driver of then is at work. */
  isToldAfter(index: number, ref: NodeRef): boolean {
    const change = this.#changes.find(candidate => candidate > index) ?? Number.POSITIVE_INFINITY;
    return this.#byVisit.get(nodeKey(ref))?.some(candidate => candidate > index && candidate <= change) ?? false;
  }

  #note(visit: string, index: number): void {
    const known = this.#byVisit.get(visit);
    if (known === undefined) this.#byVisit.set(visit, [index]);
    else known.push(index);
  }
}

function isChange({ type }: StoredEvent): boolean {
  return type === 'run.claimed' || type === 'run.released';
}

function isVisit(data: StoredEvent['data']): data is StoredEvent['data'] & NodeRef {
  return typeof data.token === 'string' && typeof data.node === 'string' && typeof data.visit === 'number';
}
