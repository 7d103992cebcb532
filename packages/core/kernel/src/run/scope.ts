import type { Change, ErrorData, NodeRef } from '../event/run-event.ts';
import type { JsonValue } from '../json/value.ts';
import type { StateView } from '../state/cell.ts';

export interface Scope {
  readonly id: string;
  readonly kind: 'root' | 'fork' | 'map' | 'subgraph';
  /** Token that opened it, and where. */
  readonly owner: NodeRef;
  readonly graph: string;
  readonly join: string | undefined;
  readonly size: number;
  /** Of a map: the items; of a subgraph: its one input. */
  readonly inputs: readonly JsonValue[];
  readonly collect: boolean;
  /** Next item of a map that has not begun. */
  readonly next: number;
  readonly results: ReadonlyMap<number, ItemResult>;
  /** State the tokens of this scope start from. */
  readonly state: StateView;
  readonly share: readonly string[];
  /** Visits by node over all tokens of the scope. */
  readonly visits: Readonly<Record<string, number>>;
  /** Visits beyond the limit that were granted, by node. */
  readonly granted?: Readonly<Record<string, number>>;
  /** Set once a token failed that the scope cannot do without. */
  readonly failing: ErrorData | undefined;
}

export interface ItemResult {
  readonly status: 'ended' | 'failed';
  readonly output: JsonValue;
  readonly error?: ErrorData;
  readonly writes: readonly Change[];
}
