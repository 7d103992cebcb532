import { isJsonObject, type NodeRef, type Run, type StoredEvent } from '@signalbox/kernel';
import type { Difference } from '../integrity/compare-histories.ts';
import { shown } from '../views/text.ts';
import { refOf, type Trial } from './trial.ts';

/** Where the run would have gone another way. `left` is what the log has, `right` what this build comes to. */
export interface Departure extends Difference {
  /** What the event is about, where it is about a node. */
  readonly node?: NodeRef;
}

interface Found {
  /** What the log has, from where they part. */
  readonly recorded: readonly StoredEvent[];
  readonly run: Run;
  readonly closest: Trial | undefined;
  /** Operations that the handler would do now, and that the log does not have. */
  readonly undone?: readonly string[];
  /** The handler that this build does not have. */
  readonly missing?: string | undefined;
}

/** Says in one line for people what the log has and what would happen now. */
export function departure({ recorded, run, closest, undone = [], missing }: Found): Departure {
  const seq = run.seq + 1;
  const event = recorded[0]!;
  const within = closest?.fits === true ? closest.difference : undefined;
  if (within !== undefined) return said(within, recorded[within.seq - seq] ?? event, run, undefined);
  const node = refOf(event, run);
  const now = whatNow(closest, undone, missing, node !== undefined);
  const right = closest?.events[0]?.type;
  const type = { seq, type: event.type, path: '/type', left: event.type, ...(right === undefined ? {} : { right }) };
  return said({ ...type, text: '' }, event, run, now);
}

function said(difference: Difference, event: StoredEvent, run: Run, now: string | undefined): Departure {
  const node = refOf(event, run);
  const at = node === undefined ? '' : ` of node "${node.node}"${node.visit > 1 ? `, visit ${node.visit},` : ''}`;
  const place = `event ${difference.seq}${at}`;
  const sides = `recorded ${shown(difference.left)}, now ${shown(difference.right)}`;
  const text =
    now === undefined
      ? `${place}: ${difference.type} ${difference.path}: ${sides}`
      : `${place}: the log has ${nameOf(event)}; ${now}`;
  return { ...difference, text, ...(node === undefined ? {} : { node }) };
}

function whatNow(
  closest: Trial | undefined,
  undone: readonly string[],
  missing: string | undefined,
  isOfNode: boolean,
): string {
  if (missing !== undefined) return `this build has no code for ${missing}`;
  if (undone.length > 0) return `now it does ${undone.map(name => `"${name}"`).join(', ')} first`;
  const [next] = closest?.events ?? [];
  if (next !== undefined) return mismatchOf(next) ?? `now there comes ${nameOf(next)}`;
  if (closest?.refusal !== undefined) return `now it is refused: ${closest.refusal}`;
  return isOfNode ? 'now its code comes to nothing like it' : 'now nothing leads to it';
}

function mismatchOf({ type, data }: StoredEvent): string | undefined {
  if (type !== 'node.stuck' || !isJsonObject(data.error)) return undefined;
  const { details, message } = data.error;
  return `now its code does otherwise: ${String(isJsonObject(details) ? details.difference : message)}`;
}

function nameOf({ type, data }: StoredEvent): string {
  return typeof data.op === 'string' ? `${type} of "${data.op}"` : type;
}
