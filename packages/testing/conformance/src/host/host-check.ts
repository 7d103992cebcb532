import type { Host } from '@signalbox/ports';
import { holdsWithin, turns } from '../check.ts';

/** A host whose clock the suite holds in its hand. */
export interface HostFixture {
  readonly host: Host;
  now(): number;
  /**
   * Moves the clock on by `ms` (0: not at all) and lets calls that are due begin. The clock stands still otherwise; where it
   * cannot, `advance` waits.
   */
  advance(ms: number): void | Promise<void>;
  /** Called after the host was stopped. */
  dispose?(): void | Promise<void>;
}

export interface HostFactoryOptions {
  /** Calls in flight at most. */
  readonly concurrency: number;
}

/** A new host, with `onDue` not yet called. */
export type HostFactory = (options: HostFactoryOptions) => HostFixture | Promise<HostFixture>;

/** One call of `onDue`. */
export interface DueCall {
  readonly runId: string;
  readonly at: number;
  /** Lets the call end, well or with an error. */
  end(error?: Error): void;
}

/** What a check works on: every call of `onDue` is written down, and ends when told, or at once if `endsAtOnce` was set. */
export interface HostWorld {
  readonly host: Host;
  now(): number;
  advance(ms: number): Promise<void>;
  readonly calls: readonly DueCall[];
  /** Calls that have not ended. */
  readonly inFlight: () => readonly DueCall[];
  /** The most that were in flight at one time, and the most of one run. */
  readonly most: () => { readonly all: number; readonly ofOneRun: number };
  /** Waits for real time, with the clock standing still, until it holds. */
  eventually(condition: () => boolean): Promise<boolean>;
  /** Gives everything that could still happen at this moment the time to happen. */
  settle(): Promise<void>;
}

export interface HostCheck {
  readonly name: string;
  readonly concurrency: number;
  /** True: a call ends when the check says so. Default: at once. */
  readonly held: boolean;
  readonly body: (world: HostWorld) => Promise<void>;
}

const SOON = 2000;

export function createHostWorld(fixture: HostFixture, held: boolean): HostWorld {
  const calls: DueCall[] = [];
  const open = new Set<DueCall>();
  const most = { all: 0, ofOneRun: 0 };

  fixture.host.onDue(
    runId =>
      new Promise<void>((resolve, reject) => {
        const call: DueCall = {
          runId,
          at: fixture.now(),
          end(error) {
            if (!open.delete(call)) return;
            if (error === undefined) resolve();
            else reject(error);
          },
        };
        calls.push(call);
        open.add(call);
        most.all = Math.max(most.all, open.size);
        most.ofOneRun = Math.max(most.ofOneRun, [...open].filter(other => other.runId === runId).length);
        if (!held) call.end();
      }),
  );

  return {
    host: fixture.host,
    now: () => fixture.now(),
    advance: async ms => {
      await fixture.advance(ms);
      await turns(2);
    },
    calls,
    inFlight: () => [...open],
    most: () => most,
    eventually: condition =>
      holdsWithin(SOON, async () => {
        await fixture.advance(0);
        return condition();
      }),
    async settle() {
      for (let turn = 0; turn < 5; turn += 1) {
        await fixture.advance(0);
        await turns(3);
      }
      await new Promise(resolve => setTimeout(resolve, 5));
      await fixture.advance(0);
    },
  };
}
