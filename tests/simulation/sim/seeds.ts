import { type Shrunk, shrink } from './shrink.ts';
import { simulate } from './simulation.ts';

export interface Tally {
  readonly seeds: number;
  readonly commits: number;
  /** Runs by the status in which they ended. */
  readonly ends: ReadonlyMap<string, number>;
  /** The first seed that failed, made small. */
  readonly failure: Shrunk | undefined;
}

/** Runs seeds one after the other until one fails. */
export async function simulateSeeds(from: number, count: number): Promise<Tally> {
  const ends = new Map<string, number>();
  let commits = 0;
  for (let seed = from; seed < from + count; seed += 1) {
    const result = await simulate({ seed });
    commits += result.commits.length;
    ends.set(result.status, (ends.get(result.status) ?? 0) + 1);
    if (result.violations.length > 0)
      return { seeds: seed - from + 1, commits, ends, failure: await shrink({ seed }, result) };
  }
  return { seeds: count, commits, ends, failure: undefined };
}
