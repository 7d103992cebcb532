import type { DocumentRow, LabelRow, RequestRow, RunRow, Snapshot, StartKey, StoredCommit } from '@signalbox/ports';

/**
 * What several store objects can share, as processes share a database. Opaque: made by {@link createMemoryData}.
 *
 * Invariants:
 *  1. Every value in here was copied on its way in, commits excepted: those are read-only for everybody.
 *  2. `log` holds every commit in the order of landing; a stream's list holds the same objects.
 *  3. Changes happen inside one synchronous call, after everything that can fail.
 */
export interface MemoryData {
  readonly chain: boolean;
  readonly log: StoredCommit[];
  readonly streams: Map<string, StoredCommit[]>;
  /** Kept by compound keys, see `keyOf`. */
  readonly commands: Map<string, string>;
  readonly startKeys: Map<string, StartKey>;
  readonly runs: Map<string, RunRow>;
  readonly dueRuns: Set<string>;
  readonly requests: Map<string, RequestRow>;
  readonly leases: Map<string, number>;
  readonly snapshots: Map<string, Snapshot[]>;
  readonly chunks: Map<string, Map<string, string>>;
  /** Null: erased. */
  readonly payloads: Map<string, string | null>;
  readonly documents: Map<string, DocumentRow & { readonly text: string }>;
  readonly labels: Map<string, LabelRow & { readonly tenant: string }>;
  readonly counters: Map<string, number>;
  /** Who is told of commits of the others; the value tells the store it belongs to. */
  readonly watchers: Map<() => void, ReadonlySet<() => void>>;
}

/** Data that several stores made by `createMemoryStore({ shared })` work on. */
export function createMemoryData(options: { readonly chain?: boolean } = {}): MemoryData {
  return {
    chain: options.chain ?? false,
    log: [],
    streams: new Map(),
    commands: new Map(),
    startKeys: new Map(),
    runs: new Map(),
    dueRuns: new Set(),
    requests: new Map(),
    leases: new Map(),
    snapshots: new Map(),
    chunks: new Map(),
    payloads: new Map(),
    documents: new Map(),
    labels: new Map(),
    counters: new Map(),
    watchers: new Map(),
  };
}

/** One text for several, without ambiguity. */
export function keyOf(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}
