import { type SimulationOptions, type SimulationResult, simulate } from './simulation.ts';

type Cut = 'size' | 'faults' | 'commands' | 'turns';

/** From small to large; the first at which a seed still fails is kept. */
const CUTS: Readonly<Record<Cut, readonly number[]>> = {
  commands: [0, 1, 2],
  faults: [0, 1, 2, 3, 4],
  size: [1, 2, 3, 4],
  turns: [0, 10, 20, 40, 80],
};

export interface Shrunk {
  readonly options: SimulationOptions;
  readonly result: SimulationResult;
}

/** A smaller simulation of a seed that fails too; it need not fail in the same way. */
export async function shrink(options: SimulationOptions, failed: SimulationResult): Promise<Shrunk> {
  let best: Shrunk = { options, result: failed };
  for (const [cut, values] of Object.entries(CUTS))
    for (const value of values) {
      const smaller = { ...best.options, [cut]: value };
      const result = await simulate(smaller);
      if (result.violations.length === 0) continue;
      best = { options: smaller, result };
      break;
    }
  return best;
}

/** `SIGNALBOX_SEED=17,size=2,faults=1`, as a failure prints it. @throws Error for anything else. */
export function optionsFrom(text: string): SimulationOptions {
  const [seed, ...cuts] = text.split(',');
  const options: Record<string, number> = { seed: Number(seed) };
  for (const cut of cuts) {
    const [name = '', value] = cut.split('=');
    if (!Object.hasOwn(CUTS, name))
      throw new Error(`SIGNALBOX_SEED says "${cut}"; known are ${Object.keys(CUTS).join(', ')}.`);
    options[name] = Number(value);
  }
  if (!Object.values(options).every(Number.isSafeInteger)) throw new Error(`SIGNALBOX_SEED is no seed: ${text}`);
  return { ...options, seed: options.seed! };
}

export function optionsText({ seed, ...cuts }: SimulationOptions): string {
  return [seed, ...Object.entries(cuts).map(([name, value]) => `${name}=${value}`)].join(',');
}

/** All that is needed to understand a failure and to see it again. */
export function report({ options, result }: Shrunk): string {
  const log = result.commits.flatMap(({ firstSeq, at, events }) =>
    events.map(({ type, data }, index) => `${firstSeq + index} ${at} ${type} ${JSON.stringify(data).slice(0, 300)}`),
  );
  const { nodes, routes, graphs } = result.graph.definition;
  return [
    `Seed ${options.seed}${result.violations.length === 0 ? ' keeps every promise' : ' fails:'}`,
    ...result.violations.map(violation => `  ${violation}`),
    `Again: SIGNALBOX_SEED=${optionsText(options)} npx vitest run tests/simulation/seeds`,
    `What happened:\n  ${result.trace.join('\n  ')}`,
    `The log:\n  ${log.join('\n  ')}`,
    `The graph: ${JSON.stringify({ nodes, routes, graphs })}`,
    `Its code: ${JSON.stringify([...result.graph.behaviours])}`,
  ].join('\n');
}
