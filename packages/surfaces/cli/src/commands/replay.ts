import { SignalboxError } from '@signalbox/kernel';
import type { ReExecution } from '@signalbox/runtime';
import { jsonText } from '@signalbox/terminal-form/text';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { DONE, REFUSED } from '../exit-code.ts';
import { counted } from '../output/counted.ts';
import { type Output, styled } from '../output/output.ts';
import { buildOf } from '../replay/build.ts';
import { CHECKS, checkOpenRuns, type OpenRunCheck } from '../replay/check-open-runs.ts';
import { executeRun } from '../replay/execute-run.ts';
import { type ReplayedRun, replayRun } from '../replay/replay-run.ts';
import { findRun } from '../report/find-run.ts';
import { type Act, collect } from './command.ts';

interface ReplayOptions {
  readonly until?: string;
  readonly open?: boolean;
  readonly execute?: boolean;
  readonly graph?: readonly string[];
}

export function registerReplay(program: Command, act: Act): void {
  program
    .command('replay')
    .argument('[run]', 'id of the run')
    .description(
      'fold a log again, or execute its run once more; or look whether this build can go on with every open run',
    )
    .option('--until <point>', 'up to a sequence number, or a time such as 2026-03-04T09:00:00Z')
    .option('--execute', 'execute the run once more with this build, without effects, and compare')
    .option('--open', 'every open run against this build: nothing is driven and nothing is written')
    .option('--graph <file>', 'code that belongs to this build', collect)
    .action(act(replay));
}

async function replay(cli: Cli, runId: string | undefined, options: ReplayOptions): Promise<number> {
  const { open = false, execute = false, until } = options;
  if ((runId === undefined) !== open)
    throw new SignalboxError('Usage', 'Name a run, or say --open.', { hint: 'signalbox replay --open' });
  if (until !== undefined && (open || execute))
    throw new SignalboxError('Usage', `--until goes with neither --open nor --execute: they take whole runs.`);
  if (runId === undefined) return await replayOpen(cli, options);
  return execute ? await executeOne(cli, runId, options) : await replayOne(cli, runId, until);
}

async function executeOne(cli: Cli, given: string, { graph = [] }: ReplayOptions): Promise<number> {
  const build = await buildOf(cli, graph);
  return await cli.withStore(async store => {
    const runId = await findRun(cli, store, given);
    const result = await executeRun(store, runId, build);
    if (cli.json) cli.out.json(result);
    else printExecution(cli.out, result);
    return result.same ? DONE : REFUSED;
  });
}

function printExecution(out: Output, { from, to, difference, erased }: ReExecution): void {
  if (to >= from) out.line(styled('green', '✓'), ` Events ${from} to ${to} come out the same with this build.`);
  if (difference !== undefined) out.line(styled('red', '✗'), ` ${difference.text}`);
  if (erased === true) out.line(`Beyond ${to} nothing is proved: what comes next holds a value that was erased.`);
}

async function replayOne(cli: Cli, given: string, until: string | undefined): Promise<number> {
  return await cli.withStore(async store => {
    const runId = await findRun(cli, store, given);
    const replayed = await replayRun(store, runId, until);
    if (cli.json) cli.out.json(replayed);
    else printRun(cli.out, replayed);
    return replayed.same ? DONE : REFUSED;
  });
}

function printRun(out: Output, { trail, runId, seq, at, events, same, state, places }: ReplayedRun): void {
  out.line(styled('bold', trail));
  out.line(`${runId} at ${seq}, ${at}`);
  for (const { token, node, status } of places) out.line(`  ${token === '' ? 'run' : token}: ${node} (${status})`);
  out.line(styled('dim', 'state'));
  out.block(jsonText(state, 2), '  ');
  if (same)
    out.line(
      styled('green', '✓'),
      ` ${counted(events, 'event')} folded from the first; the newest snapshot leads to the same.`,
    );
  else out.line(styled('red', '✗'), ' Folded from the first event, the run is another than from its newest snapshot.');
}

async function replayOpen(cli: Cli, options: ReplayOptions): Promise<number> {
  const build = await buildOf(cli, options.graph ?? []);
  return await cli.withStore(async store => {
    const seen = { runs: 0, bad: 0 };
    const rows = told(cli, checkOpenRuns(store, cli.tenant, build), seen);
    if (cli.json) await cli.out.jsonList({ checked: CHECKS }, 'runs', rows, async () => ({ ok: seen.bad === 0 }));
    else {
      for await (const _ of rows);
      cli.out.line(`${counted(seen.runs, 'open run')}, ${seen.bad} that this build cannot go on with.`);
      for (const check of CHECKS) cli.out.line(styled('dim', `  looked at: ${check}`));
    }
    return seen.bad === 0 ? DONE : REFUSED;
  });
}

async function* told(
  { json, out }: Cli,
  rows: AsyncIterable<OpenRunCheck>,
  seen: { runs: number; bad: number },
): AsyncGenerator<OpenRunCheck> {
  for await (const row of rows) {
    seen.runs += 1;
    if (!row.ok) seen.bad += 1;
    if (!json)
      out.line(styled(row.ok ? 'green' : 'red', row.ok ? '✓' : '✗'), ` ${row.runId}  ${row.graph}  ${row.status}`);
    if (!json) for (const { code, reason } of row.problems) out.line(`    ${reason} `, styled('dim', `(${code})`));
    yield row;
  }
}
