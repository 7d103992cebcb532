import { checkOptions, FLAG, OBJECT } from '@signalbox/kernel';
import { type EventStore, storeErrors } from '@signalbox/ports';
import { contentCalls } from './content.ts';
import { listStreams, readFeed, readStream } from './history.ts';
import { landBatch } from './land-batch.ts';
import { createMemoryData, keyOf, type MemoryData } from './memory-data.ts';
import { copyRequest, findDue, findNextDue, findRequests, findRuns } from './rows.ts';

export interface MemoryStoreOptions {
  /** Keep commits as hash-chained text, as durable stores do. Default false: as objects. With `shared`, its setting holds. */
  readonly chain?: boolean;
  /** Work on the same data as other stores that were given it. Default: data of its own, gone with the store. */
  readonly shared?: MemoryData;
}

/** The reference store: simple, in memory, gone with the process. */
export function createMemoryStore(options: MemoryStoreOptions = {}): EventStore {
  checkOptions<MemoryStoreOptions>('createMemoryStore', options, { chain: FLAG, shared: OBJECT });
  const data = options.shared ?? createMemoryData({ chain: options.chain ?? false });
  const watches = new Set<() => void>();
  let closed = false;
  const open = (): MemoryData => {
    if (closed) throw storeErrors.closed('memory');
    return data;
  };
  return {
    features: { name: 'memory', chained: data.chain, durable: false },
    ...historyCalls(open, watches),
    ...rowCalls(open),
    ...contentCalls(open),
    onForeignCommit(fn) {
      const tell = () => fn();
      open().watchers.set(tell, watches);
      watches.add(tell);
      return () => {
        watches.delete(tell);
        data.watchers.delete(tell);
      };
    },
    async inspect() {
      const { log, streams, runs, requests } = open();
      return {
        ok: true,
        facts: { commits: log.length, streams: streams.size, runs: runs.size, requests: requests.size },
        problems: [],
      };
    },
    async close() {
      closed = true;
      for (const fn of watches) data.watchers.delete(fn);
      watches.clear();
    },
  };
}

type HistoryCalls = Pick<
  EventStore,
  'commit' | 'read' | 'head' | 'feed' | 'feedEnd' | 'streams' | 'commandOutcome' | 'startKey'
>;

function historyCalls(open: () => MemoryData, own: ReadonlySet<() => void>): HistoryCalls {
  return {
    async commit(batch) {
      const data = open();
      landBatch(data, batch);
      for (const [fn, watches] of data.watchers) if (watches !== own) queueMicrotask(fn);
    },
    async read(stream, range = {}) {
      return readStream(open(), stream, range);
    },
    async head(stream) {
      const last = open().streams.get(stream)?.at(-1);
      return last && { seq: last.lastSeq, hash: last.sealed?.hash };
    },
    async feed(options) {
      return readFeed(open(), options);
    },
    async feedEnd() {
      return String(open().log.length);
    },
    async streams(options) {
      return listStreams(open(), options);
    },
    async commandOutcome(stream, commandId) {
      return open().commands.get(keyOf(stream, commandId));
    },
    async startKey(tenant, key) {
      const found = open().startKeys.get(keyOf(tenant, key));
      return found && { ...found };
    },
  };
}

type RowCalls = Pick<EventStore, 'runs' | 'run' | 'requests' | 'request' | 'due' | 'nextDue' | 'lease' | 'counter'>;

function rowCalls(open: () => MemoryData): RowCalls {
  return {
    async runs(query) {
      return findRuns(open(), query);
    },
    async run(runId) {
      const row = open().runs.get(runId);
      return row && { ...row };
    },
    async requests(query) {
      return findRequests(open(), query);
    },
    async request(requestId) {
      const row = open().requests.get(requestId);
      return row && copyRequest(row);
    },
    async due(query) {
      return findDue(open(), query);
    },
    async nextDue(now) {
      return findNextDue(open(), now);
    },
    async lease(owner, until) {
      const { leases } = open();
      if (until === 0) leases.delete(owner);
      else leases.set(owner, until);
    },
    async counter(tenant, key) {
      return open().counters.get(keyOf(tenant, key)) ?? 0;
    },
  };
}
