import { readFileSync } from 'node:fs';
import { createSignalbox, isSignalboxError } from 'signalbox';
import { readArguments, USAGE, UsageError } from './arguments.ts';
import { EXIT, holdReview } from './hold-review.ts';
import { createReview } from './review.ts';
import { chooseReviewers } from './reviewers.ts';
import { WORDS } from './words.ts';

/** Reviews are kept here, below the folder that the process runs in. */
const PATH = '.signalbox/signalbox.db';
/** How long a scripted reviewer thinks at a terminal, in ms: time to step in. */
const PACE = 1_500;

const print = (text: string) => console.log(text);

async function main(): Promise<number> {
  const { file, language, ask, help } = readArguments(process.argv.slice(2));
  if (help) {
    print(USAGE);
    return EXIT.done;
  }
  const change = readChange(file);
  const interactive = process.stdin.isTTY === true && process.stdout.isTTY === true;
  const { model, models, isScripted } = chooseReviewers(process.env, interactive ? PACE : 0);
  const graph = createReview(model);
  const box = createSignalbox({ path: PATH, graphs: [graph], models });
  try {
    const words = WORDS[language];
    print(isScripted ? words.scripted : words.real(model));
    if (interactive) print(words.stepIn);
    return await holdReview({ box, interactive, print }, graph, { change, language, ask });
  } finally {
    await box.close();
  }
}

/** @throws UsageError */
function readChange(file: string | undefined): string {
  try {
    return readFileSync(file ?? new URL('../data/retry.diff', import.meta.url), 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) {
    console.error(`${error.message}\n\n${USAGE}`);
    return EXIT.usage;
  }
  if (isSignalboxError(error)) {
    console.error([`${error.code}: ${error.message}`, error.hint].filter(Boolean).join('\n'));
    return EXIT.failed;
  }
  throw error;
}

process.exitCode = await main().catch(exitCodeOf);
