import { type Commit, commitTime, type JsonObject, type Principal, SignalboxError } from '@signalbox/kernel';
import type { EventStore, LabelRow } from '@signalbox/ports';
import { toAppend } from '../log/commit-codec.ts';

/** The label that says which version of a graph new runs begin with. */
export const ACTIVE = 'active';

/** The stream that keeps what was done to a tenant beside its runs. */
export function auditStream(tenant: string): string {
  return `audit_${tenant}`;
}

/** Labels name versions of graphs. Every change is an event in the tenant's audit stream, so it can be taken back. */
export class Labels {
  readonly #store: EventStore;
  readonly #now: () => number;

  constructor(store: EventStore, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  async list(tenant: string, name?: string): Promise<readonly LabelRow[]> {
    return await this.#store.labels(tenant, 'graph', name);
  }

  async versionOf(tenant: string, name: string, label: string): Promise<string | undefined> {
    return await this.#store.label(tenant, 'graph', name, label);
  }

  /** @throws SignalboxError `UnknownVersion` when the store has no such version. */
  async set(tenant: string, name: string, label: string, hash: string, by: Principal): Promise<void> {
    if ((await this.#store.document('graph', hash)) === undefined)
      throw new SignalboxError('UnknownVersion', `There is no graph version ${hash} in the store.`, {
        hint: 'See `signalbox graph list`.',
      });
    const previous = await this.versionOf(tenant, name, label);
    await this.#write(tenant, { kind: 'graph', name, label, hash, previous: previous ?? null }, by);
  }

  /** The active version before the present one is active again. */
  async rollback(tenant: string, name: string, by: Principal): Promise<string> {
    const current = await this.versionOf(tenant, name, ACTIVE);
    const change = (await this.#history(tenant)).findLast(
      event => event.name === name && event.label === ACTIVE && event.hash === current,
    );
    const previous = change?.previous;
    if (typeof previous !== 'string')
      throw new SignalboxError('NothingToRollBack', `Graph "${name}" has no earlier active version.`, {
        hint: 'Name a version: `signalbox graph activate`.',
      });
    await this.set(tenant, name, ACTIVE, previous, by);
    return previous;
  }

  async #history(tenant: string): Promise<JsonObject[]> {
    const events: JsonObject[] = [];
    let fromSeq = 1;
    for (;;) {
      const page = await this.#store.read(auditStream(tenant), { fromSeq, limit: 500 });
      for (const stored of page) {
        const commit = stored.commit ?? (JSON.parse(stored.sealed!.text) as Commit);
        for (const event of commit.events) if (event.type === 'label.set') events.push(event.data);
        fromSeq = stored.lastSeq + 1;
      }
      if (page.length < 500) return events;
    }
  }

  async #write(tenant: string, row: LabelRow & { readonly previous: string | null }, actor: Principal): Promise<void> {
    const stream = auditStream(tenant);
    const head = await this.#store.head(stream);
    const { kind, name, label, hash, previous } = row;
    const commit: Commit = {
      stream,
      firstSeq: (head?.seq ?? 0) + 1,
      at: commitTime(this.#now()),
      actor,
      ...(head?.hash === undefined ? {} : { prev: head.hash }),
      events: [{ type: 'label.set', data: { kind, name, label, hash, previous } }],
    };
    await this.#store.commit(
      { appends: [toAppend(commit)], labels: [{ tenant, kind, name, label, hash }] },
      { sync: true },
    );
  }
}
