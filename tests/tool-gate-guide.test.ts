import { readFileSync } from 'node:fs';
import {
  type CompiledContract,
  compileContract,
  type GateFacts,
  type GateOptions,
  type JsonObject,
  type JsonValue,
  judgeCall,
  type RefusalCode,
  readContract,
} from '@signalbox/kernel';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const GUIDE = readFileSync(new URL('../docs/guides/tool-gate.md', import.meta.url), 'utf8');

const CODES: Readonly<Record<RefusalCode, true>> = {
  argumentsUnreadable: true,
  unknownTool: true,
  notAllowed: true,
  disabledInState: true,
  argumentsInvalid: true,
  notBound: true,
  limitReached: true,
  historyOfFailures: true,
  ruleBroken: true,
  overBudget: true,
  needsApproval: true,
  declined: true,
  approvalStale: true,
};

function load(document: JsonValue): CompiledContract {
  const { definition, faults } = readContract(document);
  expect(faults).toEqual([]);
  return compileContract(definition!);
}

function judge(
  contract: CompiledContract,
  tool: string,
  text: string,
  facts: Partial<GateFacts>,
  options: GateOptions,
) {
  const call = { id: 'c', tool, arguments: text };
  return judgeCall(contract, call, { state: {}, now: 0, tools: {}, ...facts }, options);
}

describe('the calls of the guide to the tool gate', () => {
  const contract = load(parse(/```yaml contract\n(.*?)```/s.exec(GUIDE)![1]!));
  const state = JSON.parse(/```json\n(.*?)```/s.exec(GUIDE)![1]!);
  const history = { calls: 1, callsInNode: 1, succeeded: 1, failed: 0, failedInARow: 0, refused: 0 };
  const rows = [...GUIDE.matchAll(/^\| `(\w+)` \| (?:`(.+)`|\(nothing\)) \| (ready.*|to be approved|`\w+`) \|$/gm)];

  it('are all of the table', () => {
    expect(rows).toHaveLength(10);
  });

  it.each(rows.map(([, tool, args = '', said]) => ({ tool: tool!, args, said: said! })))(
    '$tool with $args is $said',
    ({ tool, args, said }) => {
      const options = { left: [{ account: 'run', left: { money: { amount: '1', currency: 'USD' } } }] };
      const judgement = judge(contract, tool, args, { state, tools: { refund: history } }, options);
      const outcome = { ready: 'ready', approval: 'to be approved', refused: '' }[judgement.verdict];
      expect(judgement.verdict === 'refused' ? `\`${judgement.refusal.code}\`` : outcome).toBe(said.split(',')[0]);
      const [, key, value] = /with `(\w+)` (\d+)/.exec(said) ?? [];
      if (key !== undefined) expect(judgement).toMatchObject({ args: { [key]: Number(value) } });
    },
  );
});

describe('the spellings of the guide to the tool gate', () => {
  const rows = spellings(GUIDE);

  it('are all of its tables', () => {
    expect(rows.length).toBeGreaterThan(100);
    const tables = GUIDE.slice(GUIDE.indexOf('### Numbers')).split('\n');
    expect(rows).toHaveLength(tables.filter(line => line.startsWith('| `')).length);
  });

  it.each(rows)('$given for $schema is $said', ({ schema, given, said, zone }) => {
    const contract = load({
      agent_name: 'desk',
      allowed_tools: [
        { name: 't', effect: 'read', input_schema: { type: 'object', properties: { v: schema }, required: ['v'] } },
      ],
    });
    const value = JSON.parse(given);
    const judgement = judge(contract, 't', JSON.stringify({ v: value }), {}, zone === undefined ? {} : { zone });
    if (said.startsWith('refused')) {
      expect(judgement).toMatchObject({ verdict: 'refused', refusal: { code: 'argumentsInvalid' } });
      const message = judgement.verdict === 'refused' ? judgement.refusal.message : '';
      expect(message.includes('more than one way')).toBe(said === 'refused: two readings');
      return;
    }
    expect(judgement).toMatchObject({ verdict: 'ready' });
    const args = judgement.verdict === 'refused' ? {} : judgement.args;
    expect(args).toEqual({ v: said === 'kept' ? value : JSON.parse(said.slice(1, -1)) });
  });
});

describe('the refusals of the guide to the tool gate', () => {
  it('are all that there are', () => {
    const table = GUIDE.slice(GUIDE.indexOf('## Refusals'), GUIDE.indexOf('## How arguments'));
    const told = [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, code]) => code);
    expect(told.toSorted()).toEqual(Object.keys(CODES).toSorted());
  });
});

interface Spelling {
  readonly schema: JsonObject;
  readonly zone?: string;
  readonly given: string;
  readonly said: string;
}

/** Each row of a table of spellings, with the schema above it; in the zone that the text above names. */
function spellings(guide: string): Spelling[] {
  const rows: Spelling[] = [];
  let schema: JsonObject = {};
  let zone: string | undefined;
  for (const line of guide.slice(guide.indexOf('### Numbers')).split('\n')) {
    const row = /^\| `(.+?)` \| (kept|refused|refused: two readings|`.+`) \|$/.exec(line);
    if (/^`\{.*\}`$/.test(line)) [schema, zone] = [JSON.parse(line.slice(1, -1)), undefined];
    zone = /In `([A-Z]\w+\/\w+)`/.exec(line)?.[1] ?? zone;
    if (row) rows.push({ schema, given: row[1]!, said: row[2]!, ...(zone === undefined ? {} : { zone }) });
  }
  return rows;
}
