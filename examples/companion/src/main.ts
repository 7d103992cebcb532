import { isSignalboxError } from 'signalbox';
import { readArguments, USAGE, UsageError } from './arguments.ts';
import { converse, EXIT } from './converse.ts';
import { openCompanion } from './open-companion.ts';

/** The conversation and the desktop are kept here, below the folder that the process runs in. */
const FOLDER = '.signalbox';

const print = (text: string) => console.log(text);

async function main(): Promise<number> {
  const args = readArguments(process.argv.slice(2));
  if (args.help) {
    print(USAGE);
    return EXIT.done;
  }
  const companion = await openCompanion(FOLDER, args.user);
  try {
    const interactive = process.stdin.isTTY === true && process.stdout.isTTY === true;
    return await converse({ companion, interactive, print }, args);
  } finally {
    await companion.close();
  }
}

function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) {
    console.error(`${error.message}\n\n${USAGE}`);
    return EXIT.usage;
  }
  if (isSignalboxError(error)) {
    console.error([`${error.code}: ${error.message}`, error.hint].filter(Boolean).join('\n'));
    return error.code === 'InvalidInput' ? EXIT.usage : EXIT.failed;
  }
  throw error;
}

process.exitCode = await main().catch(exitCodeOf);
