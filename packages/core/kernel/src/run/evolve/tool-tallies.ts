import type { Draft } from '../draft.ts';
import type { Journal } from '../node-execution.ts';
import { NO_CALLS, type ToolTallies, type ToolTally, toolOfOp, withEnd } from '../tool-tally.ts';

export function tallyEnd(draft: Draft, tool: string, failed: boolean): void {
  tally(draft, tool, before => withEnd(before, failed));
}

export function tallyRefusal(draft: Draft, tool: string): void {
  tally(draft, tool, before => ({ ...before, refused: before.refused + 1 }));
}

function tally({ run }: Draft, tool: string, next: (before: ToolTally) => ToolTally): void {
  const tools = new Map(run.tools);
  run.tools = tools.set(tool, next(tools.get(tool) ?? NO_CALLS));
}

/** Calls before a visit: those it takes over count where it comes to them. */
export function withoutTakenOver(tools: ToolTallies | undefined, journal: Journal): ToolTallies | undefined {
  let rest: Map<string, ToolTally> | undefined;
  for (const { op, kind, status, adopted } of journal.values()) {
    const tool = toolOfOp(op);
    const tally = kind === 'tool' && status === 'recorded' && adopted ? (rest ?? tools)?.get(tool) : undefined;
    if (tally === undefined) continue;
    rest ??= new Map(tools);
    rest.set(tool, { ...tally, calls: tally.calls - 1, succeeded: tally.succeeded - 1 });
  }
  return rest ?? tools;
}
