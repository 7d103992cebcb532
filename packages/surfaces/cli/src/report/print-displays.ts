import type { RequestView } from '@signalbox/runtime';
import type { Cli } from '../cli.ts';
import { styled } from '../output/output.ts';

const MOST_LINES = 20;

/** What the question shows, which is what is decided about: of an approval the arguments of the call. */
export async function printDisplays({ out }: Cli, { displays = [] }: RequestView): Promise<void> {
  if (displays.length === 0) return;
  // Rarely needed, and slow to load.
  const { plainDisplayLines } = await import('@signalbox/terminal-form');
  for (const display of displays) {
    const lines = plainDisplayLines(display);
    for (const line of lines.slice(0, MOST_LINES)) out.line(line);
    const left = lines.length - MOST_LINES;
    if (left > 0) out.line('  ', styled('dim', `… ${left} more; the form shows all, and --json`));
  }
}
