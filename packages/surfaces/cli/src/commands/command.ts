import { SignalboxError } from '@signalbox/kernel';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';

/** Turns the work of a command, which gives the exit code, into what commander calls. */
export type Act = <Args extends readonly unknown[]>(
  work: (cli: Cli, ...args: Args) => Promise<number>,
) => (this: Command, ...args: Args) => Promise<void>;

/** Adds one command. */
export type Register = (program: Command, act: Act) => void;

/** A key that is empty is most likely a variable that nobody set. */
export function emptyKey(): SignalboxError {
  return new SignalboxError('InvalidValue', '--key is empty.', { hint: 'Give a key, or leave --key out.' });
}

/** An option that may be given several times. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
