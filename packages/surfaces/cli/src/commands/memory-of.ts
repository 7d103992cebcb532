import type { MemoryHandle, MemoryOf, Signalbox } from '@signalbox/core';
import { SignalboxError } from '@signalbox/kernel';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { findRun } from '../report/find-run.ts';

/** Whose memory is meant. */
export interface WhoseMemory {
  readonly run?: string;
  readonly session?: string;
  readonly user?: string;
}

export function withWhose(command: Command): Command {
  return command
    .option('--session <id>', 'what is remembered in this session')
    .option('--user <name>', 'what is remembered of this user')
    .option('--run <run>', 'what is remembered in this run');
}

/** @throws SignalboxError `Usage` unless exactly one is named */
export function memoryOf({ tenant }: Cli, { run, session, user }: WhoseMemory): MemoryOf {
  const named: MemoryOf[] = [
    ...(run === undefined ? [] : [{ tenant, run }]),
    ...(session === undefined ? [] : [{ tenant, session }]),
    ...(user === undefined ? [] : [{ tenant, user }]),
  ];
  const [only] = named;
  if (only !== undefined && named.length === 1) return only;
  throw new SignalboxError('Usage', 'Name whose memory it is: --session, --user or --run.', {
    hint: 'See `signalbox help memory`.',
  });
}

/** A run may be named by the beginning of its id. @throws SignalboxError `UnknownRun`, `AmbiguousTarget` */
export async function memoryHandle(cli: Cli, box: Signalbox, of: MemoryOf): Promise<MemoryHandle> {
  return box.memory('run' in of ? { ...of, run: await findRun(cli, box.store, of.run) } : of);
}
