import type { EventStore, Page, StoredCommit } from '@signalbox/ports';
import { type BrokenStore, broken, committing } from './broken-store.ts';

export const brokenReading: readonly BrokenStore[] = [
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
  broken('one feed cursor for all commits of a page', good => ({
    feed: async options => {
      const page = await good.feed(options);
      return { ...page, cursors: page.commits.map(() => page.cursor) };
    },
  })),
  broken('a feed end that leaves out the last commit', good => ({
    feedEnd: async () => (await good.feed({})).cursors.at(-2) ?? (await good.feedEnd()),
  })),
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

function withoutFirst<Row>(page: Page<Row>, after: string | undefined): Page<Row> {
  return after === undefined ? page : { ...page, rows: page.rows.slice(1) };
}

export const brokenRows: readonly BrokenStore[] = [
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
  broken('due runs of which only the first page is known', good => ({
    due: ({ after, ...query }) => (after === undefined ? good.due(query) : Promise.resolve([])),
  })),
  broken('leases that bind their own holder', good => ({
    due: query => good.due({ ...query, owner: 'somebody else' }),
  })),
];
