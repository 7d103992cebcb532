import { SignalboxError } from '@signalbox/kernel';
import type { EventStore } from '@signalbox/ports';
import { type NodeView, nodeVisits, readCommits } from '@signalbox/runtime';
import { jsonText } from '@signalbox/terminal-form/text';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { DONE } from '../exit-code.ts';
import { styled } from '../output/output.ts';
import { findRun } from '../report/find-run.ts';
import { loadReport } from '../report/load-report.ts';
import { printReport } from '../report/print-report.ts';
import type { Act } from './command.ts';

export function registerShow(program: Command, act: Act): void {
  program
    .command('show')
    .argument('<run>', 'id of the run')
    .description('how a run stands: its way, output or error, open questions')
    .option('--node <name>', 'the visits of one node: what it got and what it gave, one beside the other')
    .action(act(show));
}

async function show(cli: Cli, given: string, { node }: { readonly node?: string }): Promise<number> {
  return await cli.withStore(async store => {
    const runId = await findRun(cli, store, given);
    if (node === undefined) await printReport(cli, await loadReport(store, runId));
    else await showNode(cli, store, runId, node);
    return DONE;
  });
}

async function showNode(cli: Cli, store: EventStore, runId: string, node: string): Promise<void> {
  const visits: NodeView[] = [];
  for await (const visit of nodeVisits(readCommits(store, runId), node)) visits.push(visit);
  if (visits.length === 0) {
    const hint = 'See what it visited with `signalbox timeline`.';
    throw new SignalboxError('UnknownNode', `The run has not been at a node "${node}".`, { hint, details: { node } });
  }
  visits.sort((a, b) => a.seq - b.seq);
  if (cli.json) cli.out.json({ runId, node, visits });
  else for (const visit of visits) printVisit(cli, visit);
}

function printVisit({ out }: Cli, visit: NodeView): void {
  const { node, token, status, attempts, degraded, input, output, error } = visit;
  const place = token === '' ? node : `${token}/${node}`;
  const tried = attempts > 1 ? `, ${attempts} attempts` : '';
  out.line(
    styled('bold', `${place}#${visit.visit}`),
    `  ${status}${degraded === true ? ', degraded' : ''}${tried}  `,
    styled('dim', `${visit.startedAt} – ${visit.endedAt ?? ''}`),
  );
  out.line('  ', styled('dim', 'input  '), jsonText(input));
  if (output !== undefined) out.line('  ', styled('dim', 'output '), jsonText(output));
  if (error !== undefined) out.line('  ', styled('dim', 'error  '), `${error.code}: ${error.message}`);
}
