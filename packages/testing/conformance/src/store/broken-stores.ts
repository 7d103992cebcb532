import type { CommitBatch, EventStore, Page, StoredCommit } from '@signalbox/ports';
import { isStoreConflict } from '@signalbox/ports';

/** A store with one defect, to show that the suite sees it. */
export interface BrokenStore {
  readonly name: string;
  /** Puts the defect over a good store that keeps chained text. Called once for each store object. */
  breakStore(good: EventStore): EventStore;
}

type Defect = (good: EventStore) => Partial<EventStore>;

function broken(name: string, defect: Defect): BrokenStore {
  return { name, breakStore: good => ({ ...bound(good), ...defect(good) }) };
}

/** Calls and features as own properties, also of a store that is a class. */
function bound(good: EventStore): EventStore {
  return {
    features: good.features,
    commit: (...call) => good.commit(...call),
    read: (...call) => good.read(...call),
    head: (...call) => good.head(...call),
    feed: (...call) => good.feed(...call),
    streams: (...call) => good.streams(...call),
    commandOutcome: (...call) => good.commandOutcome(...call),
    startKey: (...call) => good.startKey(...call),
    runs: (...call) => good.runs(...call),
    run: (...call) => good.run(...call),
    requests: (...call) => good.requests(...call),
    request: (...call) => good.request(...call),
    due: (...call) => good.due(...call),
    nextDue: (...call) => good.nextDue(...call),
    lease: (...call) => good.lease(...call),
    snapshot: (...call) => good.snapshot(...call),
    saveSnapshot: (...call) => good.saveSnapshot(...call),
    chunks: (...call) => good.chunks(...call),
    dropSnapshots: (...call) => good.dropSnapshots(...call),
    payload: (...call) => good.payload(...call),
    payloadErased: (...call) => good.payloadErased(...call),
    document: (...call) => good.document(...call),
    documents: (...call) => good.documents(...call),
    label: (...call) => good.label(...call),
    labels: (...call) => good.labels(...call),
    counter: (...call) => good.counter(...call),
    onForeignCommit: (...call) => good.onForeignCommit(...call),
    inspect: (...call) => good.inspect(...call),
    close: (...call) => good.close(...call),
  };
}

/** Commits what `change` makes of a batch. */
function committing(change: (batch: CommitBatch, good: EventStore) => CommitBatch | Promise<CommitBatch>): Defect {
  return good => ({
    commit(batch, options) {
      const changed = change(batch, good);
      if (!(changed instanceof Promise)) return good.commit(changed, options);
      return changed.then(late => good.commit(late, options));
    },
  });
}

/** Changes the text of every commit on its way in. */
function sealing(change: (text: string) => string): Defect {
  return committing(batch => ({
    ...batch,
    appends: batch.appends.map(append => ({
      ...append,
      seal: () => ({ ...append.seal(), text: change(append.seal().text) }),
    })),
  }));
}

/** On a lost compare-and-set does `then` instead of rejecting. */
function onConflict(then: (batch: CommitBatch, good: EventStore, error: unknown) => Promise<void>): Defect {
  return good => ({
    async commit(batch, options) {
      try {
        await good.commit(batch, options);
      } catch (error) {
        if (!isStoreConflict(error)) throw error;
        await then(batch, good, error);
      }
    },
  });
}

/** The appends as they would have to be to land now: what a store does that does not look at `expectedSeq`. */
async function rebased(batch: CommitBatch, good: EventStore): Promise<CommitBatch> {
  const appends = [];
  for (const append of batch.appends) {
    const seq = (await good.head(append.stream))?.seq ?? 0;
    appends.push({ ...append, expectedSeq: seq, lastSeq: seq + append.lastSeq - append.expectedSeq });
  }
  return { ...batch, appends };
}

function withoutFirst<Row>(page: Page<Row>, after: string | undefined): Page<Row> {
  return after === undefined ? page : { ...page, rows: page.rows.slice(1) };
}

const RELAXED = { sync: false } as const;

const WRITING: readonly BrokenStore[] = [
  broken('lost update: the expected seq is not looked at', good => {
    let turn: Promise<unknown> = Promise.resolve();
    return {
      commit(batch, options) {
        const landing = turn.then(async () => good.commit(await rebased(batch, good), options));
        turn = landing.catch(() => {});
        return landing;
      },
    };
  }),
  broken(
    'swallowed conflict: the commit resolves and nothing landed',
    onConflict(async () => {}),
  ),
  broken(
    'conflict retried inside: decided on an old state, landed on a new one',
    onConflict(async (batch, good) => {
      await good.commit(await rebased(batch, good), RELAXED);
    }),
  ),
  broken(
    'conflict applied in part: the rows land all the same',
    onConflict(async (batch, good, error) => {
      const { runs = [], requests = [], counters = [] } = batch;
      await good.commit({ appends: [], runs, requests, counters }, RELAXED);
      throw error;
    }),
  ),
  broken(
    'conflict without its code',
    onConflict(async () => {
      throw new Error('UNIQUE constraint failed: commits.stream, commits.last');
    }),
  ),
  broken(
    'conflict without details',
    onConflict(async (_batch, _good, error) => {
      throw Object.assign(error as Error, { details: {} });
    }),
  ),
  broken('no atomicity: one append after the other, then the rest', good => ({
    async commit({ appends, ...rest }, options) {
      for (const append of appends) await good.commit({ appends: [append] }, options);
      await good.commit({ appends: [], ...rest }, options);
    },
  })),
  broken('no atomicity: rows before the appends', good => ({
    async commit({ runs = [], ...rest }, options) {
      await good.commit({ appends: [], runs }, options);
      await good.commit(rest, options);
    },
  })),
  broken('acknowledged before it is there', good => ({
    async commit(batch, options) {
      setTimeout(() => good.commit(batch, options).catch(() => {}), 2);
    },
  })),
  broken('order of calls not kept', good => ({
    async commit(batch, options) {
      await new Promise(resolve => setTimeout(resolve, batch.appends[0]?.expectedSeq === 0 ? 3 : 0));
      await good.commit(batch, options);
    },
  })),
  broken(
    'a command id accepted twice',
    committing(async (batch, good) => {
      const commands = [];
      for (const command of batch.commands ?? []) {
        if ((await good.commandOutcome(command.stream, command.id)) === undefined) commands.push(command);
      }
      return { ...batch, commands };
    }),
  ),
  broken('command ids unique over all streams', good => ({
    commit: (batch, options) =>
      good.commit({ ...batch, commands: (batch.commands ?? []).map(command => ({ ...command, stream: '' })) }, options),
    commandOutcome: (_stream, id) => good.commandOutcome('', id),
  })),
  broken(
    'a start key accepted again with the same digest',
    committing(async (batch, good) => {
      const { startKey, ...rest } = batch;
      const known = startKey && (await good.startKey(startKey.tenant, startKey.key));
      return known !== undefined && known.digest === startKey?.digest ? rest : batch;
    }),
  ),
  broken('start keys unique over all tenants', good => ({
    commit: (batch, options) =>
      good.commit(batch.startKey ? { ...batch, startKey: { ...batch.startKey, tenant: '' } } : batch, options),
    startKey: (_tenant, key) => good.startKey('', key),
  })),
  broken(
    'a counter keeps the last of two additions in one commit',
    committing(batch => ({
      ...batch,
      counters: [...new Map((batch.counters ?? []).map(one => [`${one.tenant} ${one.key}`, one])).values()],
    })),
  ),
  broken('a counter of each store object for itself', good => {
    const values = new Map<string, number>();
    return {
      commit: async ({ counters = [], ...rest }, options) => {
        await good.commit(rest, options);
        for (const { tenant, key, add } of counters) {
          values.set(`${tenant} ${key}`, (values.get(`${tenant} ${key}`) ?? 0) + add);
        }
      },
      counter: async (tenant, key) => values.get(`${tenant} ${key}`) ?? 0,
    };
  }),
  broken(
    'input sorted in place',
    committing(batch => {
      for (const { assignees } of batch.requests ?? []) (assignees as string[]).sort();
      return batch;
    }),
  ),
];

const TEXT: readonly BrokenStore[] = [
  broken(
    'text cut at 64 KiB',
    sealing(text => text.slice(0, 65_536)),
  ),
  broken(
    'text normalized',
    sealing(text => text.normalize('NFC')),
  ),
  broken(
    'text parsed and written anew',
    sealing(text => {
      try {
        return JSON.stringify(JSON.parse(text));
      } catch {
        return text;
      }
    }),
  ),
  broken(
    'text kept as UCS-2: no astral characters',
    sealing(text => text.replace(/[\u{10000}-\u{10ffff}]/gu, '\ufffd')),
  ),
  broken(
    'text trimmed',
    sealing(text => text.trim()),
  ),
];

const READING: readonly BrokenStore[] = [
  broken('commits out of order', good => ({
    read: async (...call) => (await good.read(...call)).toSorted((a, b) => nameOrder(a, b)),
  })),
  broken('a commit begun before the asked seq left out', good => ({
    read: async (stream, range = {}) =>
      (await good.read(stream, range)).filter(({ firstSeq }) => firstSeq >= (range.fromSeq ?? 1)),
  })),
  broken('phantom order: the feed goes by stream', good => ({
    feed: async options => {
      const page = await good.feed(options);
      return {
        ...page,
        commits: page.commits.toSorted((a, b) => (a.stream < b.stream ? -1 : Number(a.stream > b.stream))),
      };
    },
  })),
  broken('the feed skips a commit between two pages', good => ({
    feed: async options => {
      const page = await good.feed(options);
      return options.after === undefined ? page : { ...page, commits: page.commits.slice(1) };
    },
  })),
  broken('the feed repeats the last commit of a page', good => {
    const before = new Map<string, StoredCommit>();
    return {
      feed: async options => {
        const page = await good.feed(options);
        const repeated = options.after === undefined ? undefined : before.get(options.after);
        const last = page.commits.at(-1);
        if (last !== undefined) before.set(page.cursor, last);
        return repeated === undefined || page.commits.length === 0
          ? page
          : { ...page, commits: [repeated, ...page.commits] };
      },
    };
  }),
  broken('something appears before a cursor: a commit shown late', good => {
    let hidden: StoredCommit | undefined;
    return {
      feed: async options => {
        const page = await good.feed(options);
        const late = hidden;
        hidden = page.commits.length > 1 ? page.commits.at(-2) : undefined;
        const shown = page.commits.filter(commit => commit !== hidden);
        return { ...page, commits: late === undefined ? shown : [late, ...shown] };
      },
    };
  }),
  broken('the feed takes any cursor', good => ({
    feed: async options => {
      try {
        return await good.feed(options);
      } catch {
        return good.feed({});
      }
    },
  })),
  broken('a head remembered, whatever others write', good => {
    const heads = new Map<string, Awaited<ReturnType<EventStore['head']>>>();
    return {
      head: async stream => {
        if (!heads.has(stream)) heads.set(stream, await good.head(stream));
        return heads.get(stream);
      },
      commit: async (batch, options) => {
        await good.commit(batch, options);
        for (const { stream } of batch.appends) heads.set(stream, await good.head(stream));
      },
    };
  }),
  broken('a prefix read as a pattern', good => ({
    streams: async ({ prefix = '', ...options }) => {
      const pattern = new RegExp(
        `^${prefix
          .replace(/[?*[\\^$.|+(){}]/g, '\\$&')
          .replaceAll('_', '.')
          .replaceAll('%', '.*')}`,
      );
      return (await good.streams(options)).filter(name => pattern.test(name));
    },
  })),
];

function nameOrder(a: StoredCommit, b: StoredCommit): number {
  return String(a.lastSeq) < String(b.lastSeq) ? -1 : 1;
}

const ROWS: readonly BrokenStore[] = [
  broken('runs of all tenants', good => {
    const tenants = new Set<string>();
    return {
      commit: async (batch, options) => {
        await good.commit(batch, options);
        for (const { tenant } of batch.runs ?? []) tenants.add(tenant);
      },
      runs: async query => {
        const pages = await Promise.all([...tenants].map(tenant => good.runs({ ...query, tenant })));
        return { rows: pages.flatMap(({ rows }) => rows), next: pages.find(({ next }) => next !== undefined)?.next };
      },
    };
  }),
  broken('requests filtered by their first assignee alone', good => ({
    requests: async query => {
      const page = await good.requests(query);
      const isFirst = (who: string | undefined) => who === undefined || query.assignees?.includes(who) !== false;
      return { ...page, rows: page.rows.filter(({ assignees }) => isFirst(assignees[0])) };
    },
  })),
  broken('requests of nobody in nobody’s inbox', good => ({
    requests: async query => {
      const page = await good.requests(query);
      return query.assignees === undefined
        ? page
        : { ...page, rows: page.rows.filter(row => row.assignees.length > 0) };
    },
  })),
  broken('a row lost between two pages of runs', good => ({
    runs: async query => withoutFirst(await good.runs(query), query.after),
  })),
  broken('a row lost between two pages of requests', good => ({
    requests: async query => withoutFirst(await good.requests(query), query.after),
  })),
  broken('no status taken for every status', good => ({
    runs: ({ status, ...query }) =>
      good.runs(status === undefined || status.length === 0 ? query : { ...query, status }),
  })),
  broken(
    'a null column kept from the row before',
    committing(async (batch, good) => {
      const runs = [];
      for (const row of batch.runs ?? [])
        runs.push({ ...row, dueAt: row.dueAt ?? (await good.run(row.runId))?.dueAt ?? null });
      return { ...batch, runs };
    }),
  ),
  broken('due too early, by a second', good => ({ due: query => good.due({ ...query, now: query.now + 1000 }) })),
  broken(
    'times cut to 32 bits',
    committing(batch => ({
      ...batch,
      runs: (batch.runs ?? []).map(row => ({ ...row, dueAt: row.dueAt === null ? null : row.dueAt | 0 })),
    })),
  ),
  broken('leases ignored', () => ({ lease: async () => {} })),
  broken('leases that never end', good => ({
    lease: (owner, until) => good.lease(owner, until === 0 ? 0 : until + 1e9),
  })),
  broken('leases that bind their own holder', good => ({
    due: query => good.due({ ...query, owner: 'somebody else' }),
  })),
];

const CONTENT: readonly BrokenStore[] = [
  broken('an erased payload still served', good => {
    const texts = new Map<string, string>();
    return {
      payload: async (tenant, digest) => {
        const text = (await good.payload(tenant, digest)) ?? texts.get(`${tenant} ${digest}`);
        if (text !== undefined) texts.set(`${tenant} ${digest}`, text);
        return text;
      },
    };
  }),
  broken('an erased payload forgotten', () => ({ payloadErased: async () => false })),
  broken('a payload erased for every tenant', good => ({
    commit: ({ payloads = [], erasures = [], ...rest }, options) => {
      const everywhere = { tenant: 'everywhere' };
      const [put, erase] = [
        payloads.map(one => ({ ...one, ...everywhere })),
        erasures.map(one => ({ ...one, ...everywhere })),
      ];
      return good.commit({ ...rest, payloads: put, erasures: erase }, options);
    },
    payload: (_tenant, digest) => good.payload('everywhere', digest),
    payloadErased: (_tenant, digest) => good.payloadErased('everywhere', digest),
  })),
  broken('a snapshot newer than asked for', good => ({ snapshot: stream => good.snapshot(stream) })),
  broken('chunks dropped with the next snapshot', good => ({
    saveSnapshot: async (snapshot, chunks) => {
      await good.dropSnapshots(snapshot.stream);
      await good.saveSnapshot(snapshot, chunks);
    },
  })),
  broken('a document that can be changed', good => {
    const texts = new Map<string, string>();
    return {
      commit: async (batch, options) => {
        await good.commit(batch, options);
        for (const { kind, hash, text } of batch.documents ?? []) texts.set(`${kind} ${hash}`, text);
      },
      document: async (kind, hash) => texts.get(`${kind} ${hash}`) ?? good.document(kind, hash),
    };
  }),
  broken(
    'a label that cannot be moved',
    committing(async (batch, good) => {
      const labels = [];
      for (const row of batch.labels ?? []) {
        if ((await good.label(row.tenant, row.kind, row.name, row.label)) === undefined) labels.push(row);
      }
      return { ...batch, labels };
    }),
  ),
];

const LIFE: readonly BrokenStore[] = [
  broken('open after closing', () => ({ close: async () => {} })),
  broken('nobody told of foreign commits', () => ({ onForeignCommit: () => () => {} })),
  broken('told without end', good => ({
    onForeignCommit: fn => {
      good.onForeignCommit(fn);
      return () => {};
    },
  })),
  broken('rows handed out shared', good => {
    const rows = new Map<string, Awaited<ReturnType<EventStore['run']>>>();
    return {
      run: async runId => {
        const fresh = await good.run(runId);
        const key = JSON.stringify(fresh);
        return rows.get(key) ?? rows.set(key, fresh).get(key);
      },
    };
  }),
  broken('reads remembered, whatever others write', good => {
    const runs = new Map<string, Awaited<ReturnType<EventStore['run']>>>();
    return {
      run: async runId => runs.get(runId) ?? runs.set(runId, await good.run(runId)).get(runId),
      commit: async (batch, options) => {
        await good.commit(batch, options);
        for (const { runId } of batch.runs ?? []) runs.delete(runId);
      },
    };
  }),
];

/** Stores that the suite must reject, each for the defect in its name. */
export const brokenStores: readonly BrokenStore[] = [...WRITING, ...TEXT, ...READING, ...ROWS, ...CONTENT, ...LIFE];
