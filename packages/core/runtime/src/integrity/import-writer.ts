import type { Commit } from '@signalbox/kernel';
import type { Append, CommitBatch, EventStore } from '@signalbox/ports';
import { sealText } from '../log/commit-codec.ts';
import type { Attachment } from './run-file.ts';

/** Commits, and UTF-16 units of text, that are written in one go. */
const BATCH_COMMITS = 200;
const BATCH_UNITS = 4 * 1024 * 1024;

interface Pending {
  readonly appends: Append[];
  readonly commands: { stream: string; id: string; outcome: string }[];
  readonly payloads: { tenant: string; digest: string; text: string }[];
  readonly erasures: { tenant: string; digest: string }[];
}

/** Writes in batches of bounded size; the last one is synced and so makes the others durable. */
export class ImportWriter {
  readonly #store: EventStore;
  readonly #tenant: string;
  #pending: Pending = none();
  #units = 0;

  constructor(store: EventStore, tenant: string) {
    this.#store = store;
    this.#tenant = tenant;
  }

  async add(commit: Commit, text: string, attachments: readonly Attachment[]): Promise<void> {
    if (this.#pending.appends.length >= BATCH_COMMITS || this.#units >= BATCH_UNITS) await this.#flush({}, false);
    this.#pending.appends.push(appendOf(commit, text));
    this.#units += text.length;
    for (const attachment of attachments) await this.#attach(commit.stream, attachment);
  }

  async finish(last: Partial<CommitBatch>): Promise<void> {
    await this.#flush(last, true);
  }

  async #attach(stream: string, attachment: Attachment): Promise<void> {
    const { commands, payloads, erasures } = this.#pending;
    const tenant = this.#tenant;
    if ('command' in attachment) {
      const { command: id, outcome } = attachment;
      if (outcome !== null) commands.push({ stream, id, outcome });
    } else if ('erased' in attachment) {
      // A file only knows that its own copy is erased: what this store still has belongs to other runs, too.
      if ((await this.#store.payload(tenant, attachment.erased)) === undefined)
        erasures.push({ tenant, digest: attachment.erased });
    } else {
      payloads.push({ tenant, digest: attachment.payload, text: attachment.text });
      this.#units += attachment.text.length;
    }
  }

  async #flush(more: Partial<CommitBatch>, sync: boolean): Promise<void> {
    await this.#store.commit({ ...this.#pending, ...more }, { sync });
    this.#pending = none();
    this.#units = 0;
  }
}

function none(): Pending {
  return { appends: [], commands: [], payloads: [], erasures: [] };
}

function appendOf(commit: Commit, text: string): Append {
  const { stream, firstSeq, events } = commit;
  return {
    stream,
    expectedSeq: firstSeq - 1,
    lastSeq: firstSeq + events.length - 1,
    commit,
    seal: () => sealText(text),
  };
}
