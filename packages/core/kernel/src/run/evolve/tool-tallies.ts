import type { Draft } from '../draft.ts';
import { NO_CALLS, type ToolTally, withEnd } from '../tool-tally.ts';

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
