import { describe, expect, it } from 'vitest';
import { ListCell } from './cell.ts';

describe('a growing list', () => {
  it('shares its backing with every version it continues, so that an append costs what it adds', () => {
    const one = ListCell.of(['a']);
    const tried = one.append(['b']);
    const taken = one.append(['b']);
    expect(taken.backing).toBe(tried.backing);
    expect(taken.append(['c']).backing).toBe(one.backing);
    expect([one, tried, taken].map(cell => cell.toList())).toEqual([['a'], ['a', 'b'], ['a', 'b']]);
  });

  it('never shows one version what another appended', () => {
    const one = ListCell.of(['a']);
    const left = one.append(['b', 'c']);
    const right = one.append(['b', 'x']);
    const object = one.append([{ same: true }]);
    const other = one.append([{ same: true }]);
    expect(right.backing).not.toBe(left.backing);
    expect(other.backing).not.toBe(object.backing);
    expect([one, left, right].map(cell => cell.toList())).toEqual([['a'], ['a', 'b', 'c'], ['a', 'b', 'x']]);
    expect(one.append([]).toList()).toEqual(['a']);
    expect(left.append(['d']).toList()).toEqual(['a', 'b', 'c', 'd']);
  });
});
