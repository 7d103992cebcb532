import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const CASES = [
  ['C01', 'C02', 'C03', 'C04', 'C05', 'C06', 'C07', 'C08', 'C09', 'C10'],
  ['C11', 'C12', 'C13', 'C14', 'C15', 'C16', 'C17', 'C18', 'C19', 'C20'],
  ['C21', 'C22', 'C23', 'C24', 'C25', 'C26', 'C27', 'C28', 'C29', 'C30'],
  ['C31', 'C32', 'C33', 'C34', 'C35', 'C36', 'C37', 'C38', 'C39', 'C40'],
].flat();

/** Cases that nothing here can show yet: why, and what brings them. */
const PENDING: Readonly<Record<string, { readonly why: string; readonly comesWith: string }>> = {
  C27: { why: 'there is no event stream over the network', comesWith: 'the server' },
  C28: { why: 'there is no client connection that could end', comesWith: 'the server' },
  C31: { why: 'there is no SQL step', comesWith: 'tools: SQL' },
  C32: { why: 'there is no SQL step', comesWith: 'tools: SQL' },
  C38: { why: 'there is no API that takes a message history', comesWith: 'the server' },
  C39: { why: 'there is no console', comesWith: 'the console' },
  C40: { why: 'there is no console', comesWith: 'the console' },
};

const HERE = fileURLToPath(new URL('.', import.meta.url));

/** Ids that stand at the beginning of a test's title in this folder. */
function shown(): Set<string> {
  const ids = new Set<string>();
  for (const file of readdirSync(HERE)) {
    if (!file.endsWith('.test.ts') || file === 'pending.test.ts') continue;
    const text = readFileSync(`${HERE}${file}`, 'utf8');
    for (const [, id] of text.matchAll(/\bit(?:\.each\([^;]*?\))?\(\s*['"`](C\d\d) /g)) ids.add(id!);
  }
  return ids;
}

describe('the real-world cases', () => {
  it('are shown by a named test or listed as pending, and none is both', () => {
    const ids = shown();
    expect([...ids, ...Object.keys(PENDING)].sort()).toEqual(CASES);
  });

  it('are pending for a reason, with what brings them', () => {
    for (const { why, comesWith } of Object.values(PENDING)) expect([why, comesWith].every(Boolean)).toBe(true);
  });
});
