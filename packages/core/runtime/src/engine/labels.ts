import {
  type Commit,
  commitMillis,
  commitTime,
  type JsonObject,
  type Principal,
  SignalboxError,
} from '@signalbox/kernel';
import { type EventStore, isStoreConflict, type LabelRow } from '@signalbox/ports';
import { openCommit, toAppend } from '../log/commit-codec.ts';

/** The label that says which version of a graph new runs begin with. */
export const ACTIVE = 'active';

/** The stream that keeps what was done to a tenant beside its runs. */
export function auditStream(tenant: string): string {
  return `audit_${tenant}`;
}

const PAGE = 500;
/** How often a change is decided anew when others write to the audit stream at the same time. */
const ATTEMPTS = 20;

/** Where the audit stream ends: 0 where it has not begun. */
interface End {
  readonly seq: number;
  /** Epoch ms. */
  readonly at: number;
  readonly prev?: string;
}

type LabelChange = LabelRow & { readonly previous: string | null; readonly rollback?: true } & JsonObject;

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
    const document = await this.#store.document('graph', hash);
    if (document === undefined)
      throw new SignalboxError('UnknownVersion', `There is no graph version ${hash} in the store.`, {
        hint: 'See `signalbox graph list`.',
      });
    const { name: own } = JSON.parse(document) as { readonly name: string };
    if (own !== name) throw new SignalboxError('OtherGraph', `Version ${hash} is of graph "${own}", not "${name}".`);
    await this.#retried(async () => {
      const end = await this.#end(tenant);
      const previous = (await this.versionOf(tenant, name, label)) ?? null;
      await this.#write(tenant, end, { kind: 'graph', name, label, hash, previous }, by);
    });
  }

  /** The version that was active before the present one is active again, and so on back: a second time goes one further. */
  async rollback(tenant: string, name: string, by: Principal): Promise<string> {
    return await this.#retried(async () => {
      const end = await this.#end(tenant);
      const [current, hash] = (await this.#stack(tenant, name)).toReversed();
      if (current === undefined || hash === undefined) throw nothingToRollBack(name);
      const row = { kind: 'graph', name, label: ACTIVE, hash, previous: current };
      await this.#write(tenant, end, { ...row, rollback: true }, by);
      return hash;
    });
  }

  /** The versions that a rollback can go back over, the active one last: each activation adds one, a rollback takes one. */
  async #stack(tenant: string, name: string): Promise<string[]> {
    const stack: string[] = [];
    for await (const event of this.#history(tenant)) {
      if (event.name !== name || event.label !== ACTIVE) continue;
      if (event.rollback === true) stack.pop();
      else if (event.hash !== stack.at(-1)) stack.push(String(event.hash));
    }
    return stack;
  }

  async *#history(tenant: string): AsyncGenerator<JsonObject> {
    const stream = auditStream(tenant);
    for (let fromSeq = 1; ; ) {
      const page = await this.#store.read(stream, { fromSeq, limit: PAGE });
      for (const stored of page) {
        for (const event of openCommit(stored).events) if (event.type === 'label.set') yield event.data;
        fromSeq = stored.lastSeq + 1;
      }
      if (page.length < PAGE) return;
    }
  }

  async #end(tenant: string): Promise<End> {
    const stream = auditStream(tenant);
    const head = await this.#store.head(stream);
    if (head === undefined) return { seq: 0, at: 0 };
    const [last] = await this.#store.read(stream, { fromSeq: head.seq, toSeq: head.seq, limit: 1 });
    const at = last === undefined ? 0 : commitMillis(openCommit(last).at);
    return { seq: head.seq, at, ...(head.hash === undefined ? {} : { prev: head.hash }) };
  }

  /** Somebody else wrote to the audit stream meanwhile: what they did is looked at, and the change is decided anew. */
  async #retried<Result>(change: () => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await change();
      } catch (error) {
        if (!isStoreConflict(error) || attempt >= ATTEMPTS) throw error;
      }
    }
  }

  async #write(tenant: string, { seq, at, prev }: End, data: LabelChange, actor: Principal): Promise<void> {
    const commit: Commit = {
      stream: auditStream(tenant),
      firstSeq: seq + 1,
      at: commitTime(Math.max(this.#now(), at)),
      actor,
      ...(prev === undefined ? {} : { prev }),
      events: [{ type: 'label.set', data }],
    };
    const { kind, name, label, hash } = data;
    await this.#store.commit(
      { appends: [toAppend(commit)], labels: [{ tenant, kind, name, label, hash }] },
      { sync: true },
    );
  }
}

function nothingToRollBack(name: string): SignalboxError {
  return new SignalboxError('NothingToRollBack', `Graph "${name}" has no earlier active version.`, {
    hint: 'Name a version: `signalbox graph activate`.',
  });
}
