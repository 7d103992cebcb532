import { parseArgs } from 'node:util';
import { LANGUAGES, type Language } from './review.ts';

export const USAGE = `npm run code-review                     two reviewers talk about data/retry.diff
npm run code-review -- change.diff      about another change
npm run code-review -- --lang zh        in Chinese
npm run code-review -- --ask 3          a person is asked after the third turn`;

export interface ReviewArguments {
  readonly file: string | undefined;
  readonly language: Language;
  readonly ask: number | undefined;
  readonly help: boolean;
}

/** What was given at the start cannot be used. */
export class UsageError extends Error {}

/** @throws UsageError */
export function readArguments(args: readonly string[]): ReviewArguments {
  const { values, positionals } = parse(args);
  const language = LANGUAGES.find(each => each === (values.lang ?? 'en'));
  if (language === undefined) throw new UsageError(`--lang is one of ${LANGUAGES.join(', ')}.`);
  const ask = values.ask === undefined ? undefined : Number(values.ask);
  if (ask !== undefined && !(Number.isInteger(ask) && ask >= 1))
    throw new UsageError('--ask takes the number of a turn.');
  if (positionals.length > 1) throw new UsageError('One change at a time.');
  return { file: positionals[0], language, ask, help: values.help === true };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { lang: { type: 'string' }, ask: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
