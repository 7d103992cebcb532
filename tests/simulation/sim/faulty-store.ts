import type { EventStore } from '@signalbox/ports';
import type { Random } from './random.ts';
import type { World } from './world.ts';

/** What the simulation did to a call; told apart from errors of our own. */
export class InjectedFault extends Error {}

export type FaultKind = 'error' | 'lostAck' | 'crashBefore' | 'crashAfter';

/** How many faults are left to give out, and where they may be. */
export interface Faults {
  left: number;
  readonly random: Random;
}

export interface StoreOwner {
  readonly name: string;
  alive: boolean;
  kill(): void;
}

const NEVER = new Promise<never>(() => {});
/** Signs of life: neither delayed nor broken, for time does not stand still in a process that only waits for its store. */
const CALM = new Set<string>(['lease', 'features', 'onForeignCommit']);

/**
 * One process's view of the store. Each call may be held up before it, a commit also behind it; and it may fail before
 * anything happened, after everything happened, or with the death of the process at either point. Conflicts need no
 * making: processes that write to one run make them, and a store gives none of its own accord.
 */
export function faultyStore(
  store: EventStore,
  owner: StoreOwner,
  world: World,
  order: Random,
  faults: Faults,
): EventStore {
  async function call(name: string, invoke: () => Promise<unknown>): Promise<unknown> {
    if (!owner.alive) return NEVER;
    const writes = name === 'commit';
    if (writes || order.chance(0.3)) await world.park(owner, `${owner.name} ${name}`);
    const fault = pickFault(faults, writes);
    if (fault !== undefined) world.note(`${owner.name} ${name} !${fault}`);
    if (fault === 'error') throw new InjectedFault('The store cannot be reached.');
    if (fault === 'crashBefore') {
      owner.kill();
      return NEVER;
    }
    const result = await invoke();
    if (fault === 'crashAfter') owner.kill();
    if (fault === 'lostAck') throw new InjectedFault('The acknowledgement was lost.');
    if (writes && order.chance(0.3)) await world.park(owner, `${owner.name} ack`);
    return owner.alive ? result : NEVER;
  }

  /** Commits that do not wait for one another land in the order of the calls, however long each is held up. */
  let before: Promise<unknown> = Promise.resolve();
  function inOrder(commit: () => Promise<unknown>): Promise<unknown> {
    const result = before.then(commit);
    before = result.catch(() => {});
    return result;
  }

  return new Proxy(store, {
    get(target, name: keyof EventStore) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      if (CALM.has(name))
        return (...args: unknown[]): unknown => (owner.alive ? Reflect.apply(member, target, args) : NEVER);
      return (...args: unknown[]): unknown => {
        const once = () => call(name, async () => Reflect.apply(member, target, args));
        return name === 'commit' ? inOrder(once) : once();
      };
    },
  });
}

function pickFault(faults: Faults, writes: boolean): FaultKind | undefined {
  const { random } = faults;
  if (faults.left <= 0 || !random.chance(writes ? 0.08 : 0.02)) return undefined;
  faults.left -= 1;
  return writes
    ? random.weighted([
        [2, 'error'],
        [3, 'lostAck'],
        [1, 'crashBefore'],
        [2, 'crashAfter'],
      ])
    : random.weighted([
        [3, 'error'],
        [1, 'crashBefore'],
      ]);
}
