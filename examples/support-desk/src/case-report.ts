import type { Language } from '@signalbox/example-shared';
import pc from 'picocolors';
import { decisions, type LookedGuard, type RouteRow, type RunHandle, readCommits, trail } from 'signalbox';
import type { CaseOutput, Desk } from './desk.ts';
import { type Words, words } from './words.ts';

/** The trail line and, oldest first, every route with the guards that were looked at and what they saw. */
export async function explainCase({ box }: Desk, run: RunHandle<CaseOutput>, lang: Language): Promise<string> {
  const spoken = words(lang);
  const { heading } = spoken;
  const { version } = await run.view();
  const program = await box.engine.graphs.program(version);
  const lines = [`${pc.bold(heading.trail)}  ${await trail(readCommits(box.store, run.id))}`, pc.bold(heading.why)];
  for await (const row of decisions(readCommits(box.store, run.id), () => program))
    if (row.kind === 'route') lines.push(...routeLines(row, spoken));
  return lines.join('\n');
}

function routeLines({ node, outcome, to, because, looked }: RouteRow, { texts, colon }: Words) {
  const reason = because === undefined ? '' : `${colon}${texts[because] ?? because}`;
  return [
    `  ${node}${outcome === 'success' ? '' : ` (${outcome})`} → ${to.join(', ')}${reason}`,
    ...looked.map(guardLine),
  ];
}

function guardLine({ when = '', held, values = {} }: LookedGuard): string {
  const seen = Object.entries(values).map(([path, value]) => `${path} = ${JSON.stringify(value)}`);
  return pc.dim(`      ${held ? '✔' : '✘'} ${when}  [${seen.join(', ')}]`);
}
