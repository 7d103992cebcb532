import type { JsonValue } from '../../json/value.ts';
import { foldCase } from './fold-text.ts';
import { readBoolean } from './read-boolean.ts';
import { readNumber } from './read-number.ts';

/** Members of an enumeration that a text may stand for: by folding for texts, by their own spellings for others. */
export function readMember(text: string, members: readonly JsonValue[]): JsonValue[] {
  const folded = foldCase(text);
  return members.filter(member => {
    switch (typeof member) {
      case 'string':
        return foldCase(member) === folded;
      case 'number':
        return readNumber(text).includes(member);
      case 'boolean':
        return readBoolean(text).includes(member);
      default:
        return member === null && isNullText(text);
    }
  });
}

export function isNullText(text: string): boolean {
  return foldCase(text) === 'null';
}
