import { commitTime, type OpRecord, type Run, type WaitData } from '@signalbox/kernel';

/** Something that a run waits for, beside its open questions. */
export interface WaitView {
  readonly node: string;
  /** Path of the token that waits; '' is the root. */
  readonly token: string;
  /** Of several waits of which the first counts: its name. */
  readonly name?: string;
  /** Name of the signal that ends it. */
  readonly signal?: string;
  /** When it ends by itself, RFC 3339 in UTC. */
  readonly until?: string;
  /** The condition that ends it. */
  readonly when?: string;
  /** The node failed and is tried again at `until`. */
  readonly retry?: true;
}

export interface WaitsView {
  readonly waits?: readonly WaitView[];
  /** When something of it is due next, be it a wait, another attempt or a deadline: RFC 3339 in UTC. */
  readonly dueAt?: string;
}

const ENDED: ReadonlySet<Run['status']> = new Set(['completed', 'failed', 'cancelled']);

/** What a run waits for and when it is due; members without a value are absent. */
export function waitsView(run: Run): WaitsView {
  if (ENDED.has(run.status)) return {};
  const waits = [...waitsOf(run), ...retriesOf(run)];
  const due = [...run.timers.values()].reduce((first, { at }) => Math.min(first, at), Number.POSITIVE_INFINITY);
  return {
    ...(waits.length === 0 ? {} : { waits }),
    ...(due === Number.POSITIVE_INFINITY ? {} : { dueAt: commitTime(due) }),
  };
}

function* waitsOf(run: Run): Generator<WaitView> {
  for (const { id: token, at } of run.tokens.values()) {
    if (at.kind !== 'node') continue;
    for (const record of at.journal.values()) {
      if (record.status !== 'intended') continue;
      for (const [name, wait] of membersOf(record)) {
        const place = { node: at.node, token, ...(name === undefined ? {} : { name }) };
        if (wait.request === undefined) yield { ...place, ...awaited(wait) };
      }
    }
  }
}

function membersOf({ wait, first }: OpRecord): readonly (readonly [string | undefined, WaitData])[] {
  if (wait !== undefined) return [[undefined, wait]];
  return Object.entries(first ?? {});
}

function awaited({ signal, timer, when }: WaitData): Pick<WaitView, 'signal' | 'until' | 'when'> {
  return {
    ...(signal === undefined ? {} : { signal }),
    ...(timer === undefined ? {} : { until: commitTime(timer) }),
    ...(when === undefined ? {} : { when }),
  };
}

function* retriesOf(run: Run): Generator<WaitView> {
  for (const { kind, node, token, at } of run.timers.values())
    if (kind === 'retry') yield { node, token, until: commitTime(at), retry: true };
}
