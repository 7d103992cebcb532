import { readFileSync } from 'node:fs';
import type { z } from 'zod';

/** A line of a data file is not what its schema says; `line` counts from 1. */
export class DataFileError extends Error {
  readonly code = 'DataFileInvalid';
  readonly line: number;

  constructor(file: URL, line: number, reason: string) {
    super(`${file.pathname}:${line}: ${reason}`);
    this.name = 'DataFileError';
    this.line = line;
  }
}

function parseJson(file: URL, line: number, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new DataFileError(file, line, cause instanceof Error ? cause.message : String(cause));
  }
}

/** Reads a UTF-8 file with one JSON value a line, empty lines left out. @throws DataFileError at the first bad line. */
export function readJsonLines<T>(file: URL, schema: z.ZodType<T>): T[] {
  const values: T[] = [];
  for (const [index, text] of readFileSync(file, 'utf8').split('\n').entries()) {
    if (text.trim() === '') continue;
    const checked = schema.safeParse(parseJson(file, index + 1, text));
    if (!checked.success) {
      const issue = checked.error.issues[0];
      throw new DataFileError(file, index + 1, `${issue?.path.join('/')}: ${issue?.message}`);
    }
    values.push(checked.data);
  }
  return values;
}
