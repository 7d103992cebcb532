import type { Principal } from '../event/commit.ts';
import type { AnswerEntry, NodeRef } from '../event/run-event.ts';
import type { JsonObject } from '../json/value.ts';
import type { RequestDefinition, RequestKind } from '../request/definition.ts';

export type RequestStatus = 'open' | 'answered' | 'expired' | 'withdrawn' | 'superseded';

export interface RequestState extends NodeRef {
  readonly id: string;
  readonly op: string;
  readonly status: RequestStatus;
  readonly definition: RequestDefinition | undefined;
  readonly filled: JsonObject;
  readonly kind: RequestKind;
  readonly title: string;
  readonly assignees: readonly string[];
  readonly openedAt: number;
  readonly deadline: number | undefined;
  readonly step: number;
  readonly about: 'ask' | 'doubt' | 'compensation' | 'limit';
  readonly subject: string | undefined;
  readonly hold: 'run' | undefined;
  readonly answer: AnswerEntry | undefined;
  readonly claim?: Claim;
  /** Partial approvals of what stands now, in order. */
  readonly endorsements?: readonly Endorsement[];
  /** Why it was withdrawn. */
  readonly withdrawn?: string;
  /** Idempotency key of the accepted answer, and the digest of what was sent with it. */
  readonly key?: string;
  readonly digest?: string;
}

export interface Claim {
  readonly by: Principal;
  readonly at: number;
  /** Of a service: how long it has the question to itself, epoch ms. */
  readonly until?: number;
}

export interface Endorsement extends AnswerEntry {
  readonly key?: string;
  readonly digest?: string;
}
