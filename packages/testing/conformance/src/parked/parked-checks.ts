import assert from 'node:assert/strict';
import { type Check, type Skips, within, withoutSkipped } from '../check.ts';
import { judgeRun } from './judge-run.ts';
import { ASKERS, type Mode, type Place } from './parked-graph.ts';
import type { LaunchOptions, ParkedFactory, ParkedFixture, ParkedProcess } from './parked-process.ts';
import { WAYS, type Way } from './ways.ts';

export interface ParkedChecksOptions {
  /** Checks to leave out, by name, each with the reason. */
  readonly skip?: Skips;
}

const PLACES: Readonly<Record<Place, string>> = {
  plain: 'a run',
  subgraph: 'a run in a subgraph',
  branch: 'a run in a branch',
  item: 'a run in the items of a map',
  chained: 'a run at two questions one after the other',
};
const MODES: Readonly<Record<Mode, string>> = { continue: 'goes on', restart: 'begins anew' };
const LONGEST = 60_000;
/** Of the processes of one run: no place has more questions one after the other. */
const MOST_DEATHS = 2;

/**
 * A process dies while its run waits for an answer, for every place, way to go on and way of answering, as checks for any
 * test runner: what is accepted is accepted once, the run goes on once, and nothing that is done once is done again.
 * A check that is not done after a minute has failed.
 */
export function parkedChecks(factory: ParkedFactory, options: ParkedChecksOptions = {}): Check[] {
  const checks = Object.entries(PLACES).flatMap(([place, where]) =>
    Object.entries(MODES).flatMap(([mode, goesOn]) =>
      Object.entries(WAYS).map(([how, ways]) => ({
        name: `${where}, whose process was killed while it waited, ${goesOn} once when ${how}`,
        run: () => within(LONGEST, runCheck(factory, place as Place, mode as Mode, ways)),
      })),
    ),
  );
  return withoutSkipped(checks, options.skip);
}

async function runCheck(factory: ParkedFactory, place: Place, mode: Mode, ways: readonly Way[]): Promise<void> {
  const fixture = await factory();
  const world = new ParkedWorld(fixture);
  try {
    for (const way of ways) await world.go({ place, mode, way });
  } finally {
    await world.end();
    await fixture.dispose?.();
  }
}

type Cell = Parameters<typeof judgeRun>[0];

/** The processes of one check, each generation later than the one before. */
class ParkedWorld {
  readonly #fixture: ParkedFixture;
  readonly #alive = new Set<ParkedProcess>();
  #ahead = 0;

  constructor(fixture: ParkedFixture) {
    this.#fixture = fixture;
  }

  /** A run is started and parked, and its process killed, again and again until there is no more to answer. */
  async go(cell: Cell): Promise<void> {
    const { place, mode, way } = cell;
    const [first] = await this.#generation({ plan: { place, mode, changed: false }, ahead: this.#ahead }, 1);
    const runId = await first!.start();
    let latest = first!;
    for (let deaths = 0; ; deaths += 1) {
      const open = await latest.questions(runId);
      if (open.length === 0) break;
      assert.ok(deaths < MOST_DEATHS, 'what was answered is asked again');
      assert.equal(open.length, ASKERS[place]);
      await this.end();
      this.#ahead += way.silence;
      const plan = { place, mode, changed: way.deploys };
      const processes = await this.#generation({ plan, ahead: this.#ahead }, way.processes);
      for (const question of open) await way.answer(question, processes);
      latest = processes.at(-1)!;
    }
    judgeRun(cell, await latest.history(runId), this.#marksOf(runId));
    await this.end();
  }

  async #generation(options: LaunchOptions, count: number): Promise<ParkedProcess[]> {
    const processes = await Promise.all(Array.from({ length: count }, () => this.#fixture.launch(options)));
    for (const process of processes) this.#alive.add(process);
    return processes;
  }

  #marksOf(runId: string): string[] {
    return this.#fixture.marks().filter(mark => mark.startsWith(`${runId} `));
  }

  async end(): Promise<void> {
    for (const process of this.#alive) await process.kill();
    this.#alive.clear();
  }
}
