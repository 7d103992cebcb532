import type { Command } from 'commander';
import type { Cli } from '../cli.ts';

/** Turns the work of a command, which gives the exit code, into what commander calls. */
export type Act = <Args extends readonly unknown[]>(
  work: (cli: Cli, ...args: Args) => Promise<number>,
) => (this: Command, ...args: Args) => Promise<void>;

/** Adds one command. */
export type Register = (program: Command, act: Act) => void;

/** An option that may be given several times. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
