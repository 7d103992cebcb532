import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { digestOf, type GraphDefinition, loadProgram, nextTick, type Run, SignalboxError } from '@signalbox/kernel';
import { type ImportedRows, type ImportedRun, importRun, requestRows, runFileLines, runRow } from '@signalbox/runtime';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { DONE } from '../exit-code.ts';
import { counted } from '../output/counted.ts';
import type { Act } from './command.ts';

interface ImportCommandOptions {
  readonly id?: string;
}

export function registerImport(program: Command, act: Act): void {
  program
    .command('import')
    .argument('<file>', 'what export wrote')
    .description('bring an exported run into the store; its chain is proved first')
    .option('--id <run>', 'under another id')
    .action(act(importFile));
}

async function importFile(cli: Cli, file: string, { id }: ImportCommandOptions): Promise<number> {
  const path = resolve(cli.io.cwd, file);
  return await cli.withNewStore(async store => {
    const lines = () => runFileLines(createReadStream(path));
    const imported = await importRun(store, lines, { rowsOf, ...(id === undefined ? {} : { as: id }) }).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.syscall === undefined) throw error;
        throw new SignalboxError('UnknownFile', `${file} cannot be read (${error.code}).`, {
          hint: 'Check the path; it is relative to the working folder.',
        });
      },
    );
    print(cli, imported);
    return DONE;
  });
}

/** The rows that the run's own driver would have written. */
function rowsOf(run: Run, definition: GraphDefinition | undefined): ImportedRows {
  const program = definition === undefined ? undefined : loadProgram(definition);
  const { tenant, key } = run;
  const started = { graph: run.graph, input: run.input };
  return {
    runs: [runRow(run, dueAt(run, program))],
    ...(program === undefined
      ? {}
      : { requests: requestRows(program, run, [...run.requests.keys(), ...run.closedRequests.keys()]) }),
    ...(key === undefined ? {} : { startKey: { tenant, key, runId: run.id, digest: digestOf(started) } }),
  };
}

function dueAt(run: Run, program: ReturnType<typeof loadProgram> | undefined): number | null {
  if (run.status === 'running' || run.status === 'cancelling' || run.status === 'compensating') return run.at;
  return program === undefined ? null : (nextTick(program, run) ?? null);
}

function print({ json, out }: Cli, { tenant: _tenant, ...imported }: ImportedRun): void {
  if (json) out.json(imported);
  else
    out.line(
      imported.existed
        ? `${imported.runId} was there already, with the same history.`
        : `${imported.runId}: ${counted(imported.commits, 'commit')}, ${counted(imported.events, 'event')}.`,
    );
}
