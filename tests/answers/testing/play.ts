import { createSeededIds } from '@signalbox/testkit';
import { createRandom, type Random } from '../../simulation/sim/random.ts';
import type { DeskCalls, Outcome } from './answering-desk.ts';
import { PATIENCE_MS } from './asking-graphs.ts';
import { judge, type Played } from './judge.ts';
import { type Delivery, deliveriesOf, type Scenario, scenarioOf } from './plan.ts';

export interface AnswersOptions {
  /** Deliveries, at least. */
  readonly count: number;
  readonly seed: number;
  /** Scenarios at once. */
  readonly atOnce?: number;
  readonly progress?: (deliveries: number) => void;
}

/** Two processes on one store, and what their effects left outside. */
export interface Place {
  readonly desks: readonly [DeskCalls, DeskCalls];
  /** Runs whose effect was done, once for each time. */
  paid(): readonly string[];
  close(): Promise<void>;
}

export interface AnswersReport {
  readonly scenarios: number;
  readonly deliveries: number;
  /** Deliveries that came before their question and were accepted. */
  readonly early: number;
  /** Deliveries by what they were told. */
  readonly told: Readonly<Record<Outcome, number>>;
  readonly broken: readonly string[];
}

/** How long what comes before is on its way when something comes in between, ms of real time. */
const HEAD_STARTS = [0, 2, 25];

/** Delivers answers in every order and circumstance, until there were as many as asked for, and judges each run. */
export async function playAnswers({ desks, paid }: Place, options: AnswersOptions): Promise<AnswersReport> {
  const { count, seed, atOnce = 50, progress = () => {} } = options;
  const ids = createSeededIds(seed);
  const told: Record<Outcome, number> = {};
  const broken: string[] = [];
  let [scenarios, deliveries, early] = [0, 0, 0];
  while (deliveries < count) {
    const batch: Scenario[] = [];
    for (; batch.length < atOnce && deliveries < count; scenarios += 1) {
      const scenario = scenarioOf(seed, scenarios);
      batch.push(scenario);
      deliveries += deliveriesOf(scenario);
    }
    const plays = batch.map(scenario => new Play(desks, scenario, `run_${ids.uuid()}`));
    for (const played of await playBatch(desks, paid, plays, createRandom(seed, `batch ${scenarios}`))) {
      for (const { outcome } of played.outcomes) told[outcome] = (told[outcome] ?? 0) + 1;
      early += played.outcomes.filter(({ early, outcome }) => early && outcome === 'accepted').length;
      broken.push(...judge(played));
    }
    progress(deliveries);
  }
  return { scenarios, deliveries, early, told, broken };
}

/** Scenarios side by side: all are asked, then what comes in between happens to all of them at one time. */
async function playBatch(
  desks: Place['desks'],
  paid: Place['paid'],
  plays: readonly Play[],
  random: Random,
): Promise<Played[]> {
  await Promise.all(plays.map(play => play.ask()));
  for (const play of plays) play.deliverBefore();
  await new Promise(resolve => setTimeout(resolve, random.pick(HEAD_STARTS)));
  const between = [...plays.map(play => play.interfere()), ...desks.map(desk => desk.advance(2 * PATIENCE_MS))];
  for (const play of plays) if (play.scenario.overlaps) play.deliverAfter();
  await Promise.all(between);
  for (const play of plays) if (!play.scenario.overlaps) play.deliverAfter();
  const played = await Promise.all(plays.map(play => play.end()));
  const effects = paid();
  return played.map(({ runId, ...rest }) => ({ ...rest, paid: effects.filter(id => id === runId).length }));
}

/** One scenario, as far as it has come. */
class Play {
  readonly #desks: Place['desks'];
  readonly scenario: Scenario;
  readonly #runId: string;
  readonly #outcomes: Promise<Played['outcomes']>[] = [];
  #request = '';

  constructor(desks: Place['desks'], scenario: Scenario, runId: string) {
    this.#desks = desks;
    this.scenario = scenario;
    this.#runId = runId;
  }

  get #starter(): DeskCalls {
    return this.#desks[this.scenario.starter];
  }

  async ask(): Promise<void> {
    const { asker, circumstance } = this.scenario;
    const held = circumstance === 'early';
    this.#request = await this.#starter.start({ runId: this.#runId, asker, held, expires: circumstance === 'expiry' });
    if (!held) await this.#starter.rested(this.#runId);
  }

  deliverBefore(): void {
    this.#deliver(this.scenario.before, this.scenario.circumstance === 'early');
  }

  /** What the scenario's circumstance is named after. The expiry comes with time, which passes for all of them. */
  async interfere(): Promise<void> {
    const { circumstance, starter } = this.scenario;
    if (circumstance === 'early') await this.#starter.letGo(this.#runId);
    if (circumstance === 'cancel') await this.#desks[starter === 0 ? 1 : 0].cancel(this.#runId);
  }

  deliverAfter(): void {
    const { after, overlaps, circumstance } = this.scenario;
    this.#deliver(after, overlaps && circumstance === 'early');
  }

  #deliver(deliveries: readonly Delivery[], early: boolean): void {
    const { messages } = this.scenario;
    for (const [process, desk] of this.#desks.entries()) {
      const own = deliveries.filter(delivery => delivery.process === process);
      const outcomes = desk.deliver({ request: this.#request, messages, deliveries: own });
      this.#outcomes.push(
        outcomes.then(list => list.map((outcome, index) => ({ delivery: own[index]!, early, outcome }))),
      );
    }
  }

  async end(): Promise<Omit<Played, 'paid'> & { readonly runId: string }> {
    const outcomes = (await Promise.all(this.#outcomes)).flat();
    await Promise.all(this.#desks.map(desk => desk.rested(this.#runId)));
    const record = await this.#starter.record(this.#runId);
    return { scenario: this.scenario, request: this.#request, runId: this.#runId, outcomes, record };
  }
}
