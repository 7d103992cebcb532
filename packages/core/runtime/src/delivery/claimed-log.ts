import type { Principal } from '@signalbox/kernel';
import { type Clock, type EventStore, isStoreConflict } from '@signalbox/ports';
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
/** How often an append is decided anew when others write to the stream at the same time. */
const ATTEMPTS = 20;

/** The log of a channel as a process writes it that may hold the claim on it. Its appends come one after the other. */
export class ClaimedLog {
  readonly #claimant: Claimant;
  readonly #log: DeliveryLog;
  #appends: Promise<unknown> = Promise.resolve();

  constructor(claimant: Claimant, tenant: string, channel: string) {
    this.#claimant = claimant;
    this.#log = new DeliveryLog(claimant.store, () => claimant.clock.now(), tenant, channel);
  }

  get stream(): string {
    return this.#log.stream;
  }

  get record(): DeliveryRecord {
    return this.#log.record;
  }

  async refresh(): Promise<void> {
    await this.#log.refresh();
  }

  /** `decide` gives what is to be said of the record as it is then; when others were first, it is asked again. */
  append(decide: (record: DeliveryRecord) => Promise<readonly DeliveryEvent[]>): Promise<void> {
    const appended = this.#appends.then(async () => {
      for (let attempt = 1; ; attempt += 1) {
        const events = await decide(this.#log.record);
        if (events.length === 0) return;
        try {
          return await this.#log.append(events, PUBLISHER);
        } catch (error) {
          if (!isStoreConflict(error) || attempt >= ATTEMPTS) throw error;
          await this.#log.refresh();
        }
      }
    });
    // Told to whoever asked for it.
    this.#appends = appended.catch(() => {});
    return appended;
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
    await this.append(async () => this.claim());
  }

  async release(): Promise<void> {
    const { owner } = this.#claimant;
    await this.append(async ({ claim }) =>
      claim?.owner === owner ? [{ type: 'delivery.released', data: { owner } }] : [],
    );
  }
}
