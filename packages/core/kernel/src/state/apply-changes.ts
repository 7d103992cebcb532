import type { Change } from '../event/run-event.ts';
import { isJsonObject, type JsonValue } from '../json/value.ts';
import { MASK } from '../schema/mask.ts';
import { type Cell, ListCell, type StateView } from './cell.ts';

/** The fold of `state.changed`. Deltas hold results, so no reducer and no schema is asked here. */
export function applyChanges(view: StateView, changes: readonly Change[]): StateView {
  const next: Record<string, Cell> = { ...view };
  for (const change of changes) {
    if (change.op === 'remove') delete next[change.key];
    else next[change.key] = changedCell(next[change.key], change);
  }
  return next;
}

function changedCell(cell: Cell | undefined, change: Change): Cell {
  switch (change.op) {
    case 'append':
      return toListCell(cell).append(change.value as readonly JsonValue[]);
    case 'merge':
      return { ...(isJsonObject(cell) && !(cell instanceof ListCell) ? cell : {}), ...(change.value as object) };
    case 'increment':
      // What is masked stays so: nothing is added to it.
      if (cell === MASK || change.value === MASK) return MASK;
      return (typeof cell === 'number' ? cell : 0) + (change.value as number);
    default:
      return change.value;
  }
}

function toListCell(cell: Cell | undefined): ListCell {
  if (cell instanceof ListCell) return cell;
  return ListCell.of(Array.isArray(cell) ? (cell as readonly JsonValue[]) : []);
}
