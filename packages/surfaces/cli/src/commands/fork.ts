import type { Effects } from '@signalbox/runtime';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { targetVersion } from '../graphs/target-version.ts';
import { readObjectArgument, readSeq } from '../read-argument.ts';
import type { Act } from './command.ts';
import { effectsOption } from './rollback.ts';
import { type SteerOptions, steer, steering } from './steering.ts';

interface ForkOptions extends SteerOptions {
  readonly at?: string;
  readonly effects?: Effects;
  readonly onto?: string;
  readonly mapping?: string;
}

export function registerFork(program: Command, act: Act): void {
  steering(program, 'fork', 'a new run with the same past up to a point; this one is not touched')
    .option(
      '--at <seq>',
      'last event that is taken over; of one within a decision, all before that decision (default: all)',
    )
    .addOption(effectsOption())
    .option('--onto <version>', 'go on with this version: a hash (its beginning will do), a label, or a graph file')
    .option('--mapping <json>', 'nodes that are called otherwise there: {"old": "new"}')
    .action(act(fork));
}

async function fork(cli: Cli, runId: string, options: ForkOptions): Promise<number> {
  const at = options.at === undefined ? undefined : readSeq('--at', options.at);
  const mapping = await readMapping(cli, options.mapping);
  const { effects, onto } = options;
  const target = onto === undefined ? undefined : await targetVersion(cli, onto);
  const files = [...(options.graph ?? []), ...(target?.files ?? [])];
  return await steer(cli, runId, { ...options, graph: files }, async (handle, { as, reason }, opened) => {
    const version = await target?.hashIn(opened, (await handle.view()).graph);
    return await handle.fork({
      mapping,
      ...(as === undefined ? {} : { as }),
      ...(reason === undefined ? {} : { reason }),
      ...(at === undefined ? {} : { at }),
      ...(effects === undefined ? {} : { effects }),
      ...(version === undefined ? {} : { version }),
    });
  });
}

export async function readMapping(cli: Cli, given: string | undefined): Promise<Record<string, string>> {
  const mapping = given === undefined ? {} : await readObjectArgument(cli, '--mapping', given);
  return Object.fromEntries(Object.entries(mapping).map(([from, to]) => [from, String(to)]));
}
