import type { Random } from './random.ts';

/** One thing that a simulated handler does. */
export type Act =
  | {
      readonly do: 'run';
      readonly name: string;
      readonly once: boolean;
      readonly onDoubt?: 'ask' | 'retry' | 'fail';
      /** Performances that throw before one succeeds. */
      readonly failures: number;
    }
  | { readonly do: 'ask'; readonly name: string; readonly after?: string; readonly restart: boolean }
  | { readonly do: 'sleep'; readonly name: string; readonly for: string }
  | { readonly do: 'signal'; readonly name: string }
  | { readonly do: 'first'; readonly signal: string; readonly for: string; readonly ask: boolean }
  | { readonly do: 'decide' | 'refresh' | 'derive'; readonly name: string }
  | { readonly do: 'parallel'; readonly chains: readonly (readonly Act[])[] };

/** What a handler does, in order, and how it ends. Everything that it chooses it reads from its journal. */
export interface Behaviour {
  readonly acts: readonly Act[];
  readonly end: 'success' | 'throw' | 'throwOnce' | 'throwPermanent' | 'skip' | 'retryOnce';
  /** Written to state by the handler. */
  readonly update: boolean;
}

const ENDS = [
  [20, 'success'],
  [1, 'throw'],
  [2, 'throwOnce'],
  [1, 'throwPermanent'],
  [1, 'skip'],
  [1, 'retryOnce'],
] as const;

export function randomBehaviour(random: Random, node: string): Behaviour {
  const acts = Array.from(
    {
      length: random.weighted([
        [3, 0],
        [4, 1],
        [3, 2],
        [1, 3],
      ]),
    },
    (_, index) => randomAct(random, `${node}${index}`, true),
  );
  return { acts, end: random.weighted(ENDS), update: random.chance(0.4) };
}

function randomAct(random: Random, name: string, mayNest: boolean): Act {
  const kind = random.weighted([
    [6, 'run'],
    [4, 'once'],
    [2, 'ask'],
    [2, 'sleep'],
    [1, 'signal'],
    [1, 'first'],
    [1, 'decide'],
    [1, 'refresh'],
    [1, 'derive'],
    [mayNest ? 3 : 0, 'parallel'],
  ]);
  switch (kind) {
    case 'run':
      return {
        do: 'run',
        name,
        once: false,
        failures: random.weighted([
          [8, 0],
          [1, 1],
          [1, 9],
        ]),
      };
    case 'once':
      return {
        do: 'run',
        name,
        once: true,
        failures: random.weighted([
          [8, 0],
          [1, 1],
        ]),
        onDoubt: random.pick(['ask', 'ask', 'retry', 'fail']),
      };
    case 'ask':
      return { do: 'ask', name, ...(random.chance(0.4) ? { after: '5s' } : {}), restart: random.chance(0.2) };
    case 'sleep':
      return { do: 'sleep', name, for: random.pick(['1s', '0s', '2h']) };
    case 'signal':
      return { do: 'signal', name: random.pick(['go', 'come']) };
    case 'first':
      return {
        do: 'first',
        signal: random.pick(['go', 'come']),
        for: random.pick(['1s', '1h']),
        ask: random.chance(0.5),
      };
    case 'parallel':
      return {
        do: 'parallel',
        chains: Array.from({ length: 2 + random.int(2) }, (_, chain) =>
          Array.from({ length: 1 + random.int(2) }, (_, step) =>
            randomAct(random, `${name}${'abc'[chain]}${step}`, false),
          ),
        ),
      };
    case 'decide':
    case 'refresh':
    case 'derive':
      return { do: kind, name };
  }
}
