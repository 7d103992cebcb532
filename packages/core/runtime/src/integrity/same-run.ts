import { ListCell, type Run } from '@signalbox/kernel';

/**
 * Whether two runs are the same to the last value. How their parts are shared makes no difference; the order of tokens
 * and of other maps does, as it decides what is done first.
 */
export function sameRun(one: Run, other: Run): boolean {
  return new Comparison().same(one, other);
}

/** Parts that many tokens share are compared once. */
class Comparison {
  readonly #found = new WeakMap<object, WeakSet<object>>();

  same(one: unknown, other: unknown): boolean {
    if (Object.is(one, other)) return true;
    if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
    const found = this.#found.get(one) ?? new WeakSet();
    if (found.has(other)) return true;
    if (!this.#sameParts(one, other)) return false;
    this.#found.set(one, found.add(other));
    return true;
  }

  #sameParts(one: object, other: object): boolean {
    if (one instanceof ListCell || other instanceof ListCell)
      return one instanceof ListCell && other instanceof ListCell && this.#sameList(listOf(one), listOf(other));
    if (Array.isArray(one) || Array.isArray(other))
      return Array.isArray(one) && Array.isArray(other) && this.#sameList(one, other);
    if (one instanceof Map || other instanceof Map)
      return one instanceof Map && other instanceof Map && this.#sameList([...one], [...other]);
    const [left, right] = [membersOf(one), membersOf(other)];
    return (
      left.length === right.length &&
      left.every(key => Object.hasOwn(other, key) && this.same(Reflect.get(one, key), Reflect.get(other, key)))
    );
  }

  #sameList(one: readonly unknown[], other: readonly unknown[]): boolean {
    return one.length === other.length && one.every((item, index) => this.same(item, other[index]));
  }
}

function listOf(cell: ListCell): readonly unknown[] {
  return cell.slice(0, cell.length);
}

/** A member that is undefined is absent, as in a snapshot. */
function membersOf(value: object): string[] {
  return Object.keys(value).filter(key => Reflect.get(value, key) !== undefined);
}
