import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadContract, loadGraph } from '@signalbox/core';
import { describe, expect, it } from 'vitest';
import { readDocExamples } from '../scripts/doc-examples.ts';

const BLOCKS = readDocExamples(fileURLToPath(new URL('..', import.meta.url)))
  .filter(({ language }) => language === 'yaml')
  .map(example => ({ ...example, at: `${example.file}:${example.line}` }));
const GRAPHS = BLOCKS.filter(({ words }) => words.includes('graph'));
const CONTRACTS = BLOCKS.filter(({ words }) => words.includes('contract'));
const FAULTY = BLOCKS.filter(({ words }) => words.includes('fault'));

describe('the graphs of the documentation', () => {
  it.each(GRAPHS)('at $at load without a fault', ({ text, file }) => {
    expect(loadGraph(text, { file: `${file}.yaml` }).faults).toEqual([]);
  });

  it.each(FAULTY)('at $at have the fault that their page is about', ({ text, file, words }) => {
    const { faults } = words.includes('contract') ? loadContract(text) : loadGraph(text);
    expect(faults.map(({ code }) => code)).toContain(basename(file, '.md'));
  });
});

describe('the contracts of the documentation', () => {
  it.each(CONTRACTS.filter(({ words }) => !words.includes('fault')))('at $at load without an error', ({ text }) => {
    expect(loadContract(text).faults.filter(({ severity }) => severity === 'error')).toEqual([]);
  });
});
