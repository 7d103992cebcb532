import assert from 'node:assert/strict';
import { AFTER, AFTER_SILENCE, AROUND, ASKERS, BEFORE, type Mode, ONLY_CHANGED, type Place } from './parked-graph.ts';
import type { RunHistory } from './parked-process.ts';
import type { Way } from './ways.ts';

type Events = RunHistory['events'];

const ofType = (events: Events, type: string) => events.filter(event => event.type === type);

/** One accepted answer for each question, one continuation, and no `once` effect a second time. */
export function judgeRun(
  cell: { readonly place: Place; readonly mode: Mode; readonly way: Way },
  history: RunHistory,
  marks: readonly string[],
): void {
  const { events, status, open } = history;
  assert.equal(status, 'completed', JSON.stringify(events.at(-1)));
  assert.equal(open, 0, 'the inbox still shows a question');
  const questions = questionsOf(cell.place, cell.way);
  assert.equal(ofType(events, 'request.opened').length, questions);
  judgeClosing(events, cell.way.closes);
  judgeContinuations(cell, events);
  judgeEffects(cell, events, marks);
}

/** A chain whose first question expired has no second. */
function questionsOf(place: Place, { closes }: Way): number {
  return ASKERS[place] * (place === 'chained' && closes === 'answered' ? 2 : 1);
}

function judgeClosing(events: Events, closes: Way['closes']): void {
  for (const { data } of ofType(events, 'request.opened')) {
    const count = (type: string) => ofType(events, type).filter(event => event.data.request === data.request).length;
    const expected = closes === 'answered' ? { answered: 1, expired: 0 } : { answered: 0, expired: 1 };
    assert.deepEqual({ answered: count('request.answered'), expired: count('request.expired') }, expected);
  }
}

function judgeContinuations({ place, mode, way }: Parameters<typeof judgeRun>[0], events: Events): void {
  const asked = ofType(events, 'node.succeeded').filter(({ data }) => ['amount', 'reason'].includes(String(data.node)));
  const episodes = ofType(events, 'episode.started');
  const questions = questionsOf(place, way);
  const restarts = mode === 'restart' && way.closes === 'answered';
  assert.equal(episodes.length, restarts ? questions : 0, 'passes begun anew');
  assert.equal(asked.length, restarts ? 0 : questions, 'times that the run went on behind a question');
}

function judgeEffects({ place, way }: Parameters<typeof judgeRun>[0], events: Events, marks: readonly string[]): void {
  const times = (name: string) => marks.filter(mark => mark.split(' ')[1] === name).length;
  const each = ASKERS[place];
  assert.equal(times(BEFORE), each, `effect ${BEFORE}`);
  assert.equal(times(AFTER), way.closes === 'answered' ? each : 0, `effect ${AFTER}`);
  assert.equal(times(AFTER_SILENCE), way.closes === 'expired' ? each : 0, `effect ${AFTER_SILENCE}`);
  for (const name of AROUND[place]) assert.equal(times(name), 1, `effect ${name}`);
  assert.equal(times(ONLY_CHANGED), 0, 'the run left the graph that it began with');
  assert.deepEqual(amountsIn(marks), amountsAccepted(events), 'what was accepted is what the run went on with');
}

function amountsIn(marks: readonly string[]): string[] {
  return marks.flatMap(mark => (mark.split(' ')[1] === AFTER ? [mark.split(' ')[2]!] : [])).toSorted();
}

function amountsAccepted(events: Events): string[] {
  const values = ofType(events, 'request.answered').map(({ data }) => data.values as { amount?: number });
  return values.flatMap(({ amount }) => (amount === undefined ? [] : [JSON.stringify(amount)])).toSorted();
}
