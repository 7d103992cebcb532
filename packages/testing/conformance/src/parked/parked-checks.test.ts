import { createMemoryData, createMemoryStore } from '@signalbox/store-memory';
import { describe, expect, it } from 'vitest';
import { brokenStores } from '../store/broken-stores.ts';
import type { StoreFactory } from '../store/store-check.ts';
import { mortalProcesses } from './mortal-processes.ts';
import { parkedChecks } from './parked-checks.ts';
import type { LaunchOptions, ParkedFactory, ParkedFixture, ParkedProcess } from './parked-process.ts';

const stores: StoreFactory = () => {
  const shared = createMemoryData({ chain: true });
  return { open: () => createMemoryStore({ shared }) };
};

const swallowingConflicts: StoreFactory = () => {
  const shared = createMemoryData({ chain: true });
  const { breakStore } = brokenStores.find(({ name }) => name.startsWith('swallowed conflict'))!;
  return { open: () => breakStore(createMemoryStore({ shared })) };
};

/** Processes of the memory store, with a defect in what they say, in how they start, or in what they leave. */
function defective(change: {
  readonly process?: (process: ParkedProcess) => Partial<ParkedProcess>;
  readonly options?: (options: LaunchOptions) => LaunchOptions;
  readonly marks?: (marks: readonly string[]) => readonly string[];
}): ParkedFactory {
  return async () => {
    const fixture: ParkedFixture = await mortalProcesses(stores)();
    const { options = given => given, process = () => ({}), marks = given => given } = change;
    return {
      async launch(given) {
        const launched = await fixture.launch(options(given));
        return { ...launched, ...process(launched) };
      },
      marks: () => marks(fixture.marks()),
    };
  };
}

const changed = (options: LaunchOptions): LaunchOptions => ({ ...options, plan: { ...options.plan, changed: true } });

const BROKEN: readonly (readonly [name: string, factory: ParkedFactory, seenWhen: string])[] = [
  ['accepts two answers at once', mortalProcesses(swallowingConflicts), 'answered by two at once'],
  ['loses an accepted answer', defective({ process: () => ({ answer: async () => 'accepted' }) }), 'answered once'],
  [
    'takes what does not fit',
    defective({
      process: ({ answer }) => ({
        answer: async (...given) => ((await answer(...given)) === 'InvalidAnswer' ? 'accepted' : 'AlreadyAnswered'),
      }),
    }),
    'answered wrongly first',
  ],
  ['does an effect twice', defective({ marks: marks => [...marks, ...marks.slice(-1)] }), 'answered once'],
  ['loses an effect', defective({ marks: marks => marks.slice(1) }), 'answered once'],
  [
    'goes on twice',
    defective({
      process: ({ history }) => ({
        history: async runId => {
          const told = await history(runId);
          return {
            ...told,
            events: told.events.flatMap(event => (event.type === 'node.succeeded' ? [event, event] : event)),
          };
        },
      }),
    }),
    'answered once',
  ],
  [
    'revives what has expired',
    defective({ options: options => ({ ...options, ahead: 0 }) }),
    'answered late, and too late',
  ],
  [
    'does not keep to the graph of its run',
    defective({ options: changed }),
    'answered after a deploy with a changed graph',
  ],
  [
    'leaves a dead question in the inbox',
    defective({ process: ({ history }) => ({ history: async runId => ({ ...(await history(runId)), open: 1 }) }) }),
    'answered once',
  ],
];

describe('the suite rejects what', () => {
  it.each(BROKEN)('%s', async (_name, factory, seenWhen) => {
    const check = parkedChecks(factory).find(({ name }) => name.endsWith(seenWhen));
    expect(check).toBeDefined();
    await expect(check?.run()).rejects.toThrow();
  });
});

describe('the suite', () => {
  it('has a check for each of five places, two ways to go on and five of answering', () => {
    expect(new Set(parkedChecks(mortalProcesses(stores)).map(({ name }) => name)).size).toBe(50);
  });
});
