import { describe, expect, it } from 'vitest';
import { readDocument } from './read-document.ts';

describe('data in a file', () => {
  it('is the same in YAML and in JSON', () => {
    const value = { review: { values: { amount: 1.5, when: '12:30', sure: true, none: null, list: ['yes', '退款'] } } };
    const yaml = 'review: { values: { amount: 1.5, when: 12:30, sure: true, none: null, list: [yes, 退款] } }\n';
    expect(readDocument(yaml)).toEqual({ value, faults: [] });
    expect(readDocument(JSON.stringify(value), { file: 'a.json' })).toEqual({ value, faults: [] });
  });

  it.each([
    ['a: 1\na: 2\n', 'DuplicateKey', 2],
    ['a: &x 1\nb: *x\n', 'YamlAlias', 2],
    ['__proto__: 1\n', 'DangerousKey', 1],
    ['a: 9007199254740993\n', 'InvalidNumber', 1],
    ['a: [\n', 'InvalidYaml', 2],
  ])('%j is refused with %s in line %i', (text, code, line) => {
    const { value, faults } = readDocument(text, { file: 'answers.yaml' });
    expect(value).toBeUndefined();
    expect(faults).toContainEqual(expect.objectContaining({ code, line, file: 'answers.yaml' }));
  });
});
