import type { Principal } from '@signalbox/kernel';
import type { Clock, EventStore } from '@signalbox/ports';
import type { DeliveryEvent } from './delivery-event.ts';
import { DeliveryLog } from './delivery-log.ts';
import type { DeliveryRecord } from './delivery-record.ts';

export interface Claimant {
  readonly store: EventStore;
  readonly clock: Clock;
  /** This process; new at every start. */
  readonly owner: string;
  /** How long a claim holds without being renewed, ms. */
  readonly lease: number;
}

const PUBLISHER: Principal = { kind: 'system', id: 'publisher' };
/** The log of a channel as a process writes it that may hold the claim on it. */
export class ClaimedLog {
  readonly #claimant: Claimant;
  readonly #log: DeliveryLog;

  constructor(claimant: Claimant, tenant: string, channel: string) {
    this.#claimant = claimant;
    this.#log = new DeliveryLog(claimant.store, claimant.clock, tenant, channel);
  }

  get stream(): string {
    return this.#log.stream;
  }

  get record(): DeliveryRecord {
    return this.#log.record;
  }

  refresh(): Promise<void> {
    return this.#log.refresh();
  }

  /** See {@link DeliveryLog.write}. */
  append(decide: (record: DeliveryRecord) => readonly DeliveryEvent[]): Promise<void> {
    return this.#log.write(decide, PUBLISHER);
  }

  // ── the claim ──────────────────────────────────────────────────────────────────────────────────────────────

  /** Until when another process sends; undefined when none does. */
  claimedElsewhere(): number | undefined {
    const { claim } = this.record;
    const { owner, clock } = this.#claimant;
    return claim !== undefined && claim.owner !== owner && claim.until > clock.now() ? claim.until : undefined;
  }

  /** What claims the channel; nothing when that was done a moment ago, or another process has it. */
  claim(): readonly DeliveryEvent[] {
    const { clock, owner, lease } = this.#claimant;
    const { claim } = this.record;
    if (this.claimedElsewhere() !== undefined) return [];
    if (claim?.owner === owner && claim.until - clock.now() > lease / 2) return [];
    return [{ type: 'delivery.claimed', data: { owner, until: clock.now() + lease } }];
  }

  async renew(): Promise<void> {
    await this.append(() => this.claim());
  }

  async release(): Promise<void> {
    const { owner } = this.#claimant;
    await this.append(({ claim }) => (claim?.owner === owner ? [{ type: 'delivery.released', data: { owner } }] : []));
  }
}
