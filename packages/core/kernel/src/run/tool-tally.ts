/** What became of the calls of one tool in a run so far; readable as `run.tools.<name>` and, by a contract, `tools.<name>`. */
export interface ToolTally {
  /** Calls that were let through and have ended. */
  readonly calls: number;
  readonly succeeded: number;
  readonly failed: number;
  /** Failures since the last success. */
  readonly failedInARow: number;
  readonly refused: number;
}

export type ToolTallies = ReadonlyMap<string, ToolTally>;

export const NO_CALLS: ToolTally = { calls: 0, succeeded: 0, failed: 0, failedInARow: 0, refused: 0 };

export function withEnd(tally: ToolTally, failed: boolean): ToolTally {
  return failed
    ? { ...tally, calls: tally.calls + 1, failed: tally.failed + 1, failedInARow: tally.failedInARow + 1 }
    : { ...tally, calls: tally.calls + 1, succeeded: tally.succeeded + 1, failedInARow: 0 };
}

/** An operation of kind `tool` is named after its tool: `group/refund#2`. */
export function toolOfOp(op: string): string {
  return op.slice(op.lastIndexOf('/') + 1).replace(/#\d+$/, '');
}
