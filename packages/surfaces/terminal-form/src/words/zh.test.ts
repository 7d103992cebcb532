import { checkFields, FIELD_TYPES, type JsonObject, type JsonValue, validateValues } from '@signalbox/kernel';
import { describe, expect, it } from 'vitest';
import { issueText } from '../field/field-faults.ts';
import { fieldHeading } from '../field/field-heading.ts';
import { VirtualTerminal } from '../testing/virtual-terminal.ts';
import { formWords } from './language.ts';

const WRONG: readonly JsonValue[] = ['a', 'aaaa', 2.5, 9, true, null, [], ['a', 'a'], ['a', 'b', 'x'], {}];
const CHOICES: ReadonlySet<string> = new Set(['select', 'radio', 'multiselect', 'checkbox']);

function fieldOf(type: string): JsonObject {
  return {
    ...{ name: 'x', type, label: '数', required: true },
    ...(type === 'number' || type === 'slider' ? { min: 3, max: 5, step: 1 } : {}),
    ...(type === 'text' || type === 'multiselect' ? { min: 1, max: 2 } : {}),
    ...(CHOICES.has(type) ? { options: ['a', 'b', 'c'] } : {}),
  };
}

describe('the words around a question, in Chinese', () => {
  it.each(FIELD_TYPES)('say what is wrong with a %s', type => {
    const { fields } = checkFields([fieldOf(type)], '');
    for (const values of [{}, ...WRONG.map(x => ({ x }))]) {
      const result = validateValues(fields, values, { zone: 'UTC' });
      const issues = result.ok ? [] : result.issues;
      for (const issue of issues) expect(issueText({ words: formWords('zh') }, issue)).toMatch(/[一-龥]/);
    }
  });

  it('say how a date is written', () => {
    const { fields } = checkFields([fieldOf('date'), { ...fieldOf('datetime'), name: 'y' }], '');
    const headings = fields.map(field => fieldHeading(new VirtualTerminal().form({ language: 'zh' }), field, false));
    expect(headings.map(lines => lines[1])).toEqual([
      expect.stringContaining('日期，例如 2026-03-04'),
      expect.stringContaining('日期和时间，例如 2026-03-04T09:00'),
    ]);
  });
});
