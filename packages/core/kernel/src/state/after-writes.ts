import type { CompiledStateKey } from '../graph/program.ts';
import type { JsonValue } from '../json/value.ts';
import { applyChanges } from './apply-changes.ts';
import type { StateView } from './cell.ts';
import { reduceWrites } from './reduce.ts';

/** The state as it will be once these are written; as it is where they cannot be, which whoever writes them is told. */
export function afterWrites(
  keys: ReadonlyMap<string, CompiledStateKey>,
  state: StateView,
  writes: Readonly<Record<string, JsonValue>>,
): StateView {
  const reduced = reduceWrites(keys, state, writes, 'preview');
  return reduced.ok ? applyChanges(state, reduced.changes) : state;
}
