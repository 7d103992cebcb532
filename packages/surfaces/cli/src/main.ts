import { type Io, processIo } from './io.ts';

/**
 * The `signalbox` command. Resolves with the exit code: 0 completed or done, 10 suspended or paused, 1 failed, cancelled
 * or refused, 2 usage or invalid input, 130 interrupted. Never throws.
 *
 * @param argv without the interpreter and the script.
 */
export async function main(argv: readonly string[], io: Io = processIo()): Promise<number> {
  // Everything else is loaded here, so that `defineConfig` costs a user's configuration nothing.
  const { runProgram } = await import('./program.ts');
  return await runProgram(argv, io);
}
