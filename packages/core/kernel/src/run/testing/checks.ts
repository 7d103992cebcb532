import type { RunEvent } from '../../event/run-event.ts';
import type { Program } from '../../graph/program.ts';
import { decodeRun, encodeRun } from '../codec.ts';
import type { Command } from '../command.ts';
import { type Decision, decide, decideOn, transition } from '../decide/decide.ts';
import type { Draft } from '../draft.ts';
import { evolve } from '../evolve/evolve.ts';
import { initialState } from '../evolve/initial-state.ts';
import type { Run } from '../run.ts';
import { plainText } from './plain.ts';

/** Events decided together, and when. */
export interface Step {
  readonly at: number;
  readonly events: readonly RunEvent[];
}

/**
 * `transition`, and what must be so whatever the command:
 *  a. folding the events gives exactly the run that `transition` gave;
 *  b. the run given is as it was;
 *  c. the run is the same after a way through JSON;
 *  d. deciding again gives the same events, on a draft that was kept since the start as well;
 *  e. what is refused leaves nothing behind; an answer alone leaves word of it, and of deadlines that had passed.
 */
export function checkedTransition(
  program: Program,
  run: Run,
  command: Command,
  kept: Draft,
): Decision & { readonly run: Run } {
  const before = plainText(run);
  const result = transition(program, run, command);
  const again = decide(program, run, command);
  const onKept = decideOn(program, kept, command);
  if (plainText(run) !== before) throw new Error(`"${command.type}" changed the run that it was given.`);
  sameText('deciding again', JSON.stringify(result.events), JSON.stringify(again.events));
  sameText('deciding on a kept draft', JSON.stringify(result.events), JSON.stringify(onKept.events));
  if (result.refusal !== undefined && command.type !== 'answer' && result.events.length > 0)
    throw new Error(`"${command.type}" was refused, and left events behind.`);
  if (result.refusal?.code !== again.refusal?.code) throw new Error('Deciding again was refused otherwise.');
  const after = plainText(result.run);
  if (result.events.length > 0) sameText('the kept draft', after, plainText(kept.run));
  sameText('a way through JSON', after, plainText(throughJson(result.run)));
  if (result.events.length > 0)
    sameText(
      'folding',
      after,
      plainText(result.events.reduce((folded, event) => evolve(folded, event, command.at), run)),
    );
  return result;
}

/** The run as the whole log gives it. */
export function foldFromStart(steps: readonly Step[]): Run {
  let run = initialState();
  for (const { at, events } of steps) for (const event of throughText(events)) run = evolve(run, event, at);
  return run;
}

function throughText<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}

function throughJson(run: Run): Run {
  const { body, lists } = encodeRun(run);
  return decodeRun(throughText(body), throughText(lists.map(list => [...list.toList()])));
}

export function sameText(what: string, expected: string, given: string): void {
  if (expected === given) return;
  let from = 0;
  while (expected[from] === given[from]) from += 1;
  const around = (text: string) => text.slice(Math.max(0, from - 80), from + 120);
  throw new Error(`${what} differs:\n  ${around(expected)}\n  ${around(given)}`);
}
