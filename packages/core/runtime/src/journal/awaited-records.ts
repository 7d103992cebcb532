import type { OpRecord } from '@signalbox/kernel';

export interface AwaitedRecord {
  isOver(record: OpRecord | undefined): boolean;
  take(record: OpRecord | undefined): void;
}

/**
 * Operations that go on only with their record: open waits, effects whose result must be recorded first, and operations
 * in doubt.
 *  1. Each is handed its record once, after the commit that brought it.
 *  2. What comes together is handed out in the order of its records.
 */
export class AwaitedRecords {
  /** Most executions wait for none. */
  #byOp: Map<string, AwaitedRecord> | undefined;

  get size(): number {
    return this.#byOp?.size ?? 0;
  }

  get ops(): string[] {
    return [...(this.#byOp?.keys() ?? [])];
  }

  add(op: string, awaited: AwaitedRecord): void {
    this.#byOp ??= new Map();
    this.#byOp.set(op, awaited);
  }

  /** Hands out what has come; true when something has. */
  handOut(journal: { current(op: string): OpRecord | undefined }): boolean {
    const byOp = this.#byOp;
    if (byOp === undefined || byOp.size === 0) return false;
    const come = [...byOp]
      .map(([op, awaited]) => ({ op, awaited, record: journal.current(op) }))
      .filter(({ awaited, record }) => awaited.isOver(record))
      .sort((a, b) => orderOf(a.record) - orderOf(b.record));
    for (const { op, awaited, record } of come) {
      byOp.delete(op);
      awaited.take(record);
    }
    return come.length > 0;
  }
}

function orderOf(record: OpRecord | undefined): number {
  return record?.status === 'recorded' ? record.order : Number.POSITIVE_INFINITY;
}
