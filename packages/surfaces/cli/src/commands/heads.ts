import { resolve } from 'node:path';
import { type HeadLines, headFile, writeHeads } from '@signalbox/runtime';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { DONE, REFUSED } from '../exit-code.ts';
import { styled } from '../output/output.ts';
import type { Act } from './command.ts';

interface HeadsOptions {
  readonly write?: string;
}

export function registerHeads(program: Command, act: Act): void {
  program
    .command('heads')
    .description('the last hash of every log; kept outside, they show a log that was cut off or written anew')
    .option('--write <file>', 'add those that have moved to this file; a log that lacks its last head is reported')
    .action(act(heads));
}

async function heads(cli: Cli, { write }: HeadsOptions): Promise<number> {
  const { out, io, json } = cli;
  return await cli.withStore(async store => {
    const at = new Date().toISOString();
    const lines: string[] = [];
    const target = write === undefined ? inMemory(lines) : headFile(resolve(io.cwd, write));
    const report = await writeHeads(store, target, at);
    const found = write === undefined ? { heads: lines.map(line => JSON.parse(line) as unknown) } : {};
    if (json) out.json({ ...report, ...found });
    else {
      for (const line of lines) out.line(line);
      for (const { line, stream, reason } of report.bad)
        out.line(styled('red', '✗'), ` line ${line}${stream === undefined ? '' : `, ${stream}`}: ${reason}`);
      if (write !== undefined) out.line(`${report.written} heads written to ${write}.`);
    }
    return report.ok ? DONE : REFUSED;
  });
}

function inMemory(written: string[]): HeadLines {
  return {
    async *readLines() {},
    async appendLines(lines) {
      written.push(...lines);
    },
  };
}
