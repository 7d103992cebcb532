import { readFileSync } from 'node:fs';
import { reExecuteHistory } from 'signalbox/testing';
import { describe, expect, it } from 'vitest';
import { GRAPHS } from './scripts.ts';

/** Where this version decides otherwise than 0.1.0 did, and why that breaks no run: what was recorded stands. */
const DEPARTURES: Readonly<Record<string, { readonly seq: number; readonly path: string }>> = {
  // The items of a map got paths of their own before 0.1.0 was released; scopes keep the name they were opened with.
  mapped: { seq: 4, path: '/data/scope' },
};

function linesOf(name: string): string[] {
  return readFileSync(new URL(`./0.1.0/${name}.jsonl`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');
}

describe('the golden histories, executed once more,', () => {
  it.each(Object.entries(GRAPHS))('come out as they were recorded: %s', async (name, graph) => {
    const { same, difference } = await reExecuteHistory(linesOf(name), { graphs: [graph()] });
    const known = DEPARTURES[name];
    if (known === undefined) expect(difference?.text).toBeUndefined();
    else expect(difference).toMatchObject(known);
    expect(same).toBe(known === undefined);
  });
});
