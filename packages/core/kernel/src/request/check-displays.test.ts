import { describe, expect, it } from 'vitest';
import { checkDisplays } from './check-displays.ts';

const codes = (displays: unknown, templates = false) =>
  checkDisplays(displays, '/displays', { templates }).faults.map(({ code, pointer }) => `${code} ${pointer}`);

describe('what is shown beside a question', () => {
  it('comes in six kinds, each complete once it is read', () => {
    const { displays, faults } = checkDisplays(
      [
        {
          type: 'table',
          title: 'Orders',
          columns: ['order', { key: 'cents', label: 'Amount', unit: 'ct', align: 'right' }],
          rows: [{ order: 'A-1', cents: 0 }],
        },
        { type: 'table', rows: [{ a: 1 }, { a: 2, b: null }] },
        { type: 'text', text: '' },
        { type: 'ascii', text: '+--+' },
        { type: 'markdown', text: '# 標題' },
        { type: 'json', value: null },
        { type: 'diff', before: { a: 1 }, after: { a: 2 } },
      ],
      '/displays',
    );
    expect(faults).toEqual([]);
    expect(displays.slice(0, 2)).toEqual([
      {
        type: 'table',
        title: 'Orders',
        columns: [
          { key: 'order', label: 'order' },
          { key: 'cents', label: 'Amount', unit: 'ct', align: 'right' },
        ],
        rows: [{ order: 'A-1', cents: 0 }],
      },
      {
        type: 'table',
        columns: [
          { key: 'a', label: 'a' },
          { key: 'b', label: 'b' },
        ],
        rows: [{ a: 1 }, { a: 2, b: null }],
      },
    ]);
    expect(displays.map(({ type }) => type)).toEqual(['table', 'table', 'text', 'ascii', 'markdown', 'json', 'diff']);
  });

  it('is told all that is wrong with it, each at its place', () => {
    expect(codes('x')).toEqual(['InvalidDisplay /displays']);
    expect(
      codes([
        1,
        {},
        { type: 'tabel', rows: [] },
        { type: 'text', test: 'x' },
        { type: 'ascii', text: 1.1 },
        { type: 'json' },
        { type: 'diff', before: 1, title: [] },
        { type: 'table', rows: [1], columns: ['a', 'a', { label: 'x', align: 'middle' }, 3] },
        { type: 'markdown', text: 'x', constructor: 1 },
      ]),
    ).toEqual([
      'InvalidDisplay /displays/0',
      'MissingKey /displays/1/type',
      'UnknownDisplayType /displays/2/type',
      'UnknownKey /displays/3/test',
      'MissingKey /displays/3/text',
      'TextWanted /displays/4/text',
      'MissingKey /displays/5/value',
      'InvalidDisplay /displays/6/title',
      'MissingKey /displays/6/after',
      'InvalidDisplay /displays/7/rows/0',
      'DuplicateName /displays/7/columns/1',
      'MissingKey /displays/7/columns/2/key',
      'InvalidDisplay /displays/7/columns/2/align',
      'TextWanted /displays/7/columns/3',
      'DangerousKey /displays/8/constructor',
    ]);
  });

  it('may come from the state until the question is opened, and is held to its shape then', () => {
    const written = [
      { type: 'table', rows: { cel: 'state.orders' } },
      { type: 'table', rows: [{ cel: 'state.first' }] },
      { type: 'text', title: { cel: 'state.t' }, text: { cel: 'state.t' } },
    ];
    expect(codes(written, true)).toEqual([]);
    expect(codes(written)).toEqual([
      'InvalidDisplay /displays/0/rows',
      'InvalidDisplay /displays/2/title',
      'InvalidDisplay /displays/2/text',
    ]);
  });
});
