import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { DONE, INVALID } from '../exit-code.ts';
import { faultLines } from '../graphs/fault-lines.ts';
import { type FileFault, type GraphFile, NO_TIME_LIMIT, readGraphFile } from '../graphs/graph-file.ts';
import { counted } from '../output/counted.ts';
import { styled } from '../output/output.ts';
import type { Act } from './command.ts';

export function registerGraphCheck(graph: Command, act: Act): void {
  graph
    .command('check')
    .argument('<file...>', 'graph files (YAML, JSON, TypeScript)')
    .description('find everything that is wrong with a graph at once')
    .action(act(check));
}

async function check(cli: Cli, names: readonly string[]): Promise<number> {
  const { types = [] } = await cli.config();
  const files: GraphFile[] = [];
  for (const name of names) files.push(await readGraphFile(name, resolve(cli.io.cwd, name), types));
  const ok = files.every(({ faults }) => faults.every(({ severity }) => severity !== 'error'));
  if (cli.json) cli.out.json(document(files, ok));
  else for (const file of files) print(cli, file);
  return ok ? DONE : INVALID;
}

function document(files: readonly GraphFile[], ok: boolean) {
  return {
    ok,
    graphs: files.flatMap(({ file, version, graphs }) =>
      graphs.map(({ name, versionHash }) => ({
        file,
        name,
        ...(version === undefined ? {} : { label: version }),
        version: versionHash,
      })),
    ),
    faults: files.flatMap(({ faults }) => faults),
  };
}

function print({ out }: Cli, { file, text, graphs, faults }: GraphFile): void {
  const shown = withLimitsTogether(file, faults);
  for (const parts of faultLines(shown, text)) out.line(...parts);
  const errors = shown.filter(({ severity }) => severity === 'error').length;
  const warnings = shown.length - errors;
  const told = [
    ...(errors === 0 ? [] : [counted(errors, 'error')]),
    ...(warnings === 0 ? [] : [counted(warnings, 'warning')]),
  ].join(', ');
  for (const { name, versionHash } of graphs)
    out.line(styled('green', '✓'), ` ${file}: ${name}@${versionHash.slice(0, 12)}${told === '' ? '' : ` (${told})`}`);
  if (errors > 0) out.line(styled('red', '✗'), ` ${file}: ${told}`);
}

/** That steps have no time limit is one remark about the graph, last and with their names, not one for each of them. */
function withLimitsTogether(file: string, faults: readonly FileFault[]): readonly FileFault[] {
  const limits = faults.filter(({ code }) => code === NO_TIME_LIMIT);
  if (limits.length < 2) return faults;
  const names = limits.map(({ pointer }) => pointer.replace(/^\/nodes\//, '')).join(', ');
  const { line: _line, column: _column, ...first } = limits[0]!;
  const message = `${limits.length} steps have no time limit of their own: ${names}.`;
  return [...faults.filter(({ code }) => code !== NO_TIME_LIMIT), { ...first, file, pointer: '', message }];
}
