import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkRunFile } from '@signalbox/runtime';
import { describe, expect, it } from 'vitest';
import { foldedState } from './folded-state.ts';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const HISTORIES = readdirSync(HERE, { recursive: true, encoding: 'utf8' })
  .filter(path => path.endsWith('.jsonl'))
  .sort();

describe('the golden histories', () => {
  it('are all there: twelve of the first version at least', () => {
    expect(HISTORIES.filter(path => path.startsWith('0.1.0'))).toHaveLength(12);
  });

  it.each(HISTORIES)('%s reads whole and folds to the state that was recorded', async path => {
    const lines = readFileSync(join(HERE, path), 'utf8').trimEnd().split('\n');
    const { run } = await checkRunFile(() => lines);
    expect(`${foldedState(run)}\n`).toBe(readFileSync(join(HERE, path.replace(/jsonl$/, 'state.json')), 'utf8'));
  });
});
