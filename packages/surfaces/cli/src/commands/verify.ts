import { resolve } from 'node:path';
import { SignalboxError } from '@signalbox/kernel';
import type { EventStore } from '@signalbox/ports';
import { checkHeads, type HeadReport, headFile, type StreamReport, verifyAll, verifyStream } from '@signalbox/runtime';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { DONE, REFUSED } from '../exit-code.ts';
import { counted } from '../output/counted.ts';
import { styled } from '../output/output.ts';
import { findRun } from '../report/find-run.ts';
import type { Act } from './command.ts';

interface VerifyOptions {
  readonly all?: boolean;
  readonly heads?: string;
}

export function registerVerify(program: Command, act: Act): void {
  program
    .command('verify')
    .argument('[run]', 'id of the run')
    .description('prove that a log is whole and unchanged')
    .option('--all', 'every stream of the store')
    .option('--heads <file>', 'also against the heads kept there')
    .action(act(verify));
}

async function verify(cli: Cli, given: string | undefined, { all, heads }: VerifyOptions): Promise<number> {
  if ((given === undefined) === (all === undefined) && heads === undefined)
    throw new SignalboxError('Usage', 'Name a run, or say --all.', { hint: 'signalbox verify --all' });
  return await cli.withStore(async store => {
    const runId =
      given === undefined || (await store.head(given)) !== undefined ? given : await findRun(cli, store, given);
    const seen = { streams: 0, bad: 0 };
    const reports = told(cli, streamReports(store, runId, all === true), seen);
    let headReport: HeadReport | undefined;
    const finish = async () => {
      headReport = heads === undefined ? undefined : await checkHeads(store, headFile(resolve(cli.io.cwd, heads)));
      const ok = seen.bad === 0 && headReport?.ok !== false;
      return { ok, ...(headReport === undefined ? {} : { heads: headReport }) };
    };
    if (cli.json) await cli.out.jsonList({}, 'streams', reports, finish);
    else {
      for await (const _ of reports);
      await finish();
      printEnd(cli, seen, headReport);
    }
    return seen.bad === 0 && headReport?.ok !== false ? DONE : REFUSED;
  });
}

async function* streamReports(
  store: EventStore,
  runId: string | undefined,
  all: boolean,
): AsyncGenerator<StreamReport> {
  if (all) yield* verifyAll(store);
  else if (runId !== undefined) yield await verifyStream(store, runId);
}

async function* told(
  { json, out }: Cli,
  reports: AsyncIterable<StreamReport>,
  seen: { streams: number; bad: number },
): AsyncGenerator<StreamReport> {
  for await (const report of reports) {
    seen.streams += 1;
    if (!report.ok) seen.bad += 1;
    const { ok, stream, commits, events, firstBad } = report;
    if (!json && ok)
      out.line(styled('green', '✓'), ` ${stream}: ${counted(commits, 'commit')}, ${counted(events, 'event')}`);
    if (!json && firstBad !== undefined)
      out.line(
        styled('red', '✗'),
        ` ${stream}: at ${firstBad.seq} ${firstBad.reason} `,
        styled('dim', `(${firstBad.code})`),
      );
    yield report;
  }
}

function printEnd({ out }: Cli, seen: { streams: number; bad: number }, heads: HeadReport | undefined): void {
  for (const { line, stream, seq, code, reason } of heads?.bad ?? [])
    out.line(
      styled('red', '✗'),
      ` line ${line}${stream === undefined ? '' : `, ${stream} at ${seq}`}: ${reason} `,
      styled('dim', `(${code})`),
    );
  if (heads !== undefined)
    out.line(`${counted(heads.checked, 'head')} looked at, ${heads.bad.length} not as they were.`);
  if (seen.streams !== 1) out.line(`${seen.streams} streams, ${seen.bad} damaged.`);
}
