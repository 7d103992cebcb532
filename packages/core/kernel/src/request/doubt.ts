import type { JsonObject } from '../json/value.ts';
import type { RequestDefinition } from './definition.ts';

/** An operation of which the end is not known, as people are told of it. */
export interface DoubtfulOperation {
  /** `transfer money`, with its number from the second on. */
  readonly name: string;
  readonly node: string;
  /** What helps to look it up elsewhere: `operation`, `arguments` as JSON, `begun`, `idempotencyKey`, and what is known of its end. */
  readonly context?: JsonObject;
  /** It was done beyond the point of a fork or rollback, and how it ended is known: its `gave` or `failedWith`. */
  readonly known?: boolean;
}

const DONE = { value: 'done', label: 'It happened: go on with the result below' };
const REPEAT = { value: 'repeat', label: 'It did not happen: do it (again)' };
const FAIL = { value: 'fail', label: 'Give it up: the operation fails' };
const RECORDED = { value: 'recorded', label: 'Take what it gave' };
const AGAIN = { value: 'repeat', label: 'Do it again' };

/** The question about a `once` operation that was begun and of which no result is recorded here. */
export function doubtRequest({ name, node, context, known = false }: DoubtfulOperation): RequestDefinition {
  const title = known
    ? `"${name}" was done already: do it again? (node ${node})`
    : `Did "${name}" happen? (node ${node})`;
  return question(title, known, context);
}

/** Of a question of which the log does not tell the operation. */
export const DOUBT_REQUEST: RequestDefinition = question('Did this operation happen?', false);

function question(title: string, known: boolean, context?: JsonObject): RequestDefinition {
  return {
    kind: 'form',
    title,
    gap: 'worldState',
    purpose: known
      ? 'The run was set back, or forked, to a point before it: take the result it had then, or do it once more.'
      : 'The process died, or it took too long, before its end was recorded: nobody but you can tell.',
    ...(context === undefined ? {} : { context }),
    fields: [
      {
        name: 'outcome',
        type: 'radio',
        label: 'What became of it',
        required: true,
        options: known ? [RECORDED, AGAIN, DONE, FAIL] : [DONE, REPEAT, FAIL],
      },
      {
        name: 'result',
        type: 'textarea',
        label: 'Its result as JSON (empty: null)',
        showIf: "values.outcome == 'done'",
      },
    ],
  };
}
