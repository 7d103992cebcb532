import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readJsonLines } from './read-json-lines.ts';

const schema = z.strictObject({ a: z.number() });
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'json-lines-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function read(text: string) {
  const path = join(folder, 'data.jsonl');
  writeFileSync(path, text);
  return readJsonLines(pathToFileURL(path), schema);
}

describe('reading a data file', () => {
  it('gives one value a line and skips empty lines', () => {
    expect(read('{"a":1}\n\n{"a":2}\n')).toEqual([{ a: 1 }, { a: 2 }]);
  });

  it.each(['{"a":1}\n{"a":', '{"a":1}\n{"a":"x"}', '{"a":1}\n{"a":1,"b":2}'])('names the line at fault: %j', text => {
    expect(() => read(text)).toThrow(expect.objectContaining({ code: 'DataFileInvalid', line: 2 }));
  });
});
