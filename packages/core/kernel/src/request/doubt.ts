import type { RequestDefinition } from './definition.ts';

/** The question about a `once` operation that was begun and of which no result is recorded. */
export const DOUBT_REQUEST: RequestDefinition = {
  kind: 'form',
  title: 'Did this operation happen?',
  gap: 'worldState',
  purpose: 'The process died, or it took too long, before its end was recorded: nobody but you can tell.',
  fields: [
    {
      name: 'outcome',
      type: 'radio',
      label: 'What became of it',
      required: true,
      options: [
        { value: 'done', label: 'It happened: go on with the result below' },
        { value: 'repeat', label: 'It did not happen: do it (again)' },
        { value: 'fail', label: 'Give it up: the operation fails' },
      ],
    },
    { name: 'result', type: 'textarea', label: 'Its result as JSON (empty: null)', showIf: "values.outcome == 'done'" },
  ],
};
