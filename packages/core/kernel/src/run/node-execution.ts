import type { EffectClass, ErrorData, OpKind, WaitData } from '../event/run-event.ts';
import type { SessionView } from '../event/session-view.ts';
import type { JsonObject, JsonValue } from '../json/value.ts';
import type { StateView } from '../state/cell.ts';
import type { ToolTallies } from './tool-tally.ts';

export interface Adoption {
  readonly visit: number;
  readonly journal: Journal;
}

export type Journal = ReadonlyMap<string, OpRecord>;

export interface NodeExecution {
  readonly node: string;
  readonly visit: number;
  readonly attempt: number;
  /** `held`: its wait is over, and it goes on when nothing holds it back any more. */
  readonly status: 'running' | 'waiting' | 'held' | 'backoff' | 'composite' | 'stuck';
  readonly input: JsonValue;
  /** What the handler reads, whatever happens to the state meanwhile. */
  readonly state: StateView;
  readonly startedAt: number;
  readonly journal: Journal;
  /** Number of the next recorded operation: results are delivered in this order. */
  readonly recorded: number;
  readonly scope: string | undefined;
  readonly fallback: { readonly node: string; readonly error: ErrorData } | undefined;
  readonly error: ErrorData | undefined;
  /** Drivers that died here with nothing new recorded since. */
  readonly crashes: number;
  /** The back-off is long enough to be a durable timer. */
  readonly durable: boolean;
  /** Its checks are asked; what it does itself begins when they have let it pass. */
  readonly checking?: true;
  /** How long this attempt executed before it last waited, ms; absent: 0. */
  readonly executed?: number;
  /** Calls of tools before it began; absent: none. */
  readonly tools?: ToolTallies;
  /** The pass it began in, whatever pass an answer begins elsewhere meanwhile; absent: the first, 0. */
  readonly episode?: number;
  /** What the handler reads of the session, whatever happens to it meanwhile. */
  readonly session?: SessionView;
}

export interface OpRecord {
  readonly op: string;
  readonly kind: OpKind;
  readonly digest: string;
  /** `held`: it would pass a budget, and somebody is asked. */
  readonly status: 'intended' | 'recorded' | 'doubted' | 'held';
  readonly class?: EffectClass;
  readonly onDoubt?: 'ask' | 'retry' | 'fail';
  readonly value?: JsonValue;
  readonly error?: ErrorData;
  readonly order: number;
  /** When it was begun, epoch ms; of a `once` operation. */
  readonly begun?: number;
  /** What its intent says of it, until its end is recorded; of a `once` operation. */
  readonly request?: JsonObject;
  /** When it was recorded, epoch ms. */
  readonly at?: number;
  readonly wait?: WaitData;
  readonly first?: Readonly<Record<string, WaitData>>;
  readonly keep?: true;
  /** Taken over by a controller's retry: used if asked for, no mismatch if not. */
  readonly adopted?: true;
  /** Of the handler that failed, where a fallback stands in for it: nobody asks for it any more. */
  readonly left?: true;
  /** The attempt that began or recorded it; absent: the first. */
  readonly attempt?: number;
  /** A budget kept it from beginning, which is its error; an error of its own may have the same code. */
  readonly refused?: true;
  /** An answer to it lets one call of a tool happen; `past`: one given before the point of a fork or rollback lets none. */
  readonly grants?: 'call' | 'past';
  /** The question whose approval it has used up. */
  readonly approval?: string;
  /** Of a `once` operation taken over before its end was known: the visit that began it. */
  readonly from?: number;
}
