import { fileURLToPath } from 'node:url';
import { loadGraph } from '@signalbox/core';
import { describe, expect, it } from 'vitest';
import { readDocExamples } from '../scripts/doc-examples.ts';

const GRAPHS = readDocExamples(fileURLToPath(new URL('..', import.meta.url)))
  .filter(({ language, words }) => language === 'yaml' && words.includes('graph'))
  .map(example => ({ ...example, at: `${example.file}:${example.line}` }));

describe('the graphs of the documentation', () => {
  it.each(GRAPHS)('at $at load without a fault', ({ text, file }) => {
    expect(loadGraph(text, { file: `${file}.yaml` }).faults).toEqual([]);
  });
});
