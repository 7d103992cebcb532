import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findCodes } from '../scripts/error-codes.ts';
import { pageFaults } from '../scripts/error-page.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'codes-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('codes are found', () => {
  it.each([
    ['of a thrown error', "throw new SignalboxError('Lost', 'It is lost.');"],
    ['under a member', "const fault = { code: 'Lost', severity: 'error' };"],
    ['in a type', "interface E { readonly code: 'Lost' }"],
    ['in a choice', "const fault = { code: gone ? 'Lost' : known };"],
    ['given to a function of ours', "function fault(at: string, code: string) {}\nfault('/x', 'Lost');"],
    ['given to a method', "class C { fault(code: string) {} }\nc.fault('Lost');"],
    ['given to a constructor', "class E { constructor(code: string) {} }\nnew E('Lost');"],
    ['given to an arrow function', "const fault = (code: string) => code;\nfault('Lost');"],
    ['as the default of a parameter', "function fault(code = 'Lost') {}"],
    ['in a constant', "const DEFAULT_CODE = 'Lost';"],
    ['under another name', "function fault(code: string) {}\nfault(options.empty);\nconst o = { empty: 'Lost' };"],
  ])('%s', (_, source) => {
    expect(codesOf(source)).toEqual(['Lost']);
  });

  it.each(["const name = 'Lost';", "new OtherError('Lost');", "const fault = { code: 'lost' };", "call('Lost');"])(
    'but not in `%s`',
    source => {
      expect(codesOf(source)).toEqual([]);
    },
  );

  it('with file and line', () => {
    writeFileSync(join(folder, 'a.ts'), "\nthrow new SignalboxError('Lost', 'x');");
    expect(findCodes(folder, ['a.ts'])).toEqual([{ code: 'Lost', at: 'a.ts:2' }]);
  });
});

describe('the page of a code', () => {
  const GOOD = '# Lost\n\n## What happened\n\nIt is lost.\n\n## What to do\n\nLook.\n\n## Example\n\nA key.\n';

  it('with all sections is accepted', () => {
    expect(pageFaults('Lost', GOOD)).toEqual([]);
  });

  it('of another title, without a section or with an empty one is refused', () => {
    expect(pageFaults('Found', GOOD)).toEqual(['does not begin with "# Found"']);
    expect(pageFaults('Lost', GOOD.replace('## Example\n\nA key.\n', ''))).toHaveLength(1);
    expect(pageFaults('Lost', GOOD.replace('Look.', ''))).toEqual(['says nothing under "What to do"']);
  });
});

function codesOf(source: string): string[] {
  writeFileSync(join(folder, 'a.ts'), source);
  return findCodes(folder, ['a.ts']).map(({ code }) => code);
}
