import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { resolve } from 'node:path';
import { SignalboxError } from '@signalbox/kernel';
import { exportRun } from '@signalbox/runtime';
import { jsonText } from '@signalbox/terminal-form/text';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { DONE } from '../exit-code.ts';
import { counted } from '../output/counted.ts';
import { findRun } from '../report/find-run.ts';
import type { Act } from './command.ts';

interface ExportOptions {
  readonly out?: string;
}

export function registerExport(program: Command, act: Act): void {
  program
    .command('export')
    .argument('<run>', 'id of the run')
    .description('a run as JSONL: a manifest, then its commits with their chain')
    .option('--out <file>', 'into this file (default: standard output)')
    .action(act(exportFile));
}

async function exportFile(cli: Cli, given: string, { out }: ExportOptions): Promise<number> {
  return await cli.withStore(async store => {
    const runId = await findRun(cli, store, given);
    const lines = exportRun(store, runId, { madeAt: new Date().toISOString() });
    if (out === undefined) {
      // The bytes are hashed, so only a terminal gets them escaped.
      const isTerminal = cli.io.stdout.isTTY === true;
      for await (const line of lines) await cli.out.write(`${isTerminal ? jsonText(JSON.parse(line)) : line}\n`);
      return DONE;
    }
    const written = await writeFile(resolve(cli.io.cwd, out), lines);
    if (cli.json) cli.out.json({ runId, file: out, lines: written });
    else cli.out.line(`${runId}: ${counted(written, 'line')} written to ${out}.`);
    return DONE;
  });
}

/** The file is there whole or not at all. */
async function writeFile(path: string, lines: AsyncIterable<string>): Promise<number> {
  const part = `${path}.part`;
  const file = createWriteStream(part);
  const failed = once(file, 'error').then(([error]): never => {
    throw error;
  });
  const work = async () => {
    let count = 0;
    for await (const line of lines) {
      if (!file.write(`${line}\n`)) await once(file, 'drain');
      count += 1;
    }
    file.end();
    await once(file, 'finish');
    await rename(part, path);
    return count;
  };
  try {
    return await Promise.race([work(), failed]);
  } catch (error) {
    const code = (error as { readonly code?: unknown; readonly syscall?: unknown }).syscall;
    if (code === undefined) throw error;
    throw new SignalboxError('UnknownFile', `${path} cannot be written: ${(error as Error).message}`);
  }
}
