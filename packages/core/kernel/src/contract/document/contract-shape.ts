import { numberIn } from '../../graph/check/read.ts';
import type { JsonObject } from '../../json/value.ts';
import { checkContractName } from './names.ts';
import { eitherOf, leaf, list, listOrOne, type Members, object, optional, type Shape, shortFor } from './shape.ts';
import { TOOLS } from './tool-shape.ts';
import { AMOUNTS, ASSIGNEES, CEL, FILLED, isNumber, SCHEMA, SHARE, TEXT, word } from './values.ts';

const NAME: Shape = {
  schema: FILLED.schema,
  read: (value, place, reading) => {
    const read = FILLED.read(value, place, reading);
    if (typeof read === 'string') reading.faults.push(...checkContractName(read, place.written));
    return read;
  },
};

const RULE_PARTS: Members = {
  assert: { shape: CEL, required: { standIn: 'true' } },
  message: { shape: FILLED, required: { standIn: '', hint: 'It is what the agent is told: what to do instead.' } },
};

const RULE = object('A rule', {
  ...RULE_PARTS,
  tools: { shape: listOrOne(FILLED) },
  tool: { shape: listOrOne(FILLED), as: 'tools' },
});

const PROMPT = object('A dynamic prompt', {
  condition: { shape: CEL, required: { standIn: 'false' } },
  template: { shape: FILLED, required: { standIn: '' } },
  priority: { shape: leaf({ type: 'number' }, numberIn(-1_000_000, 1_000_000)) },
});

const BUDGETS = object(
  '`budgets`',
  optional({
    run: AMOUNTS,
    session: AMOUNTS,
    tenantPerDay: AMOUNTS,
    onReached: word('way with a budget that is reached', 'stop', 'ask', 'degrade'),
  }),
);

const CONFIDENCE = eitherOf(
  [isNumber, shortFor('below', SHARE)],
  [
    () => true,
    object('`confidence`', {
      below: { shape: SHARE, required: { standIn: 0 } },
      ...optional({ assignees: ASSIGNEES }),
      assign: { shape: ASSIGNEES, as: 'assignees' },
    }),
  ],
);

export const CONTRACT = object('A contract', {
  agentName: { shape: NAME, as: 'name', required: { standIn: 'agent' } },
  ...optional({ version: TEXT, description: TEXT, extends: FILLED }),
  allowedTools: { shape: TOOLS, as: 'tools' },
  dynamicPrompts: { shape: list(PROMPT), as: 'prompts' },
  rules: { shape: list(RULE) },
  budgets: { shape: BUDGETS },
  outputSchema: { shape: SCHEMA, as: 'output' },
  outputRules: { shape: list(object('An output rule', RULE_PARTS)) },
  confidence: { shape: CONFIDENCE },
  $schema: { shape: TEXT, as: false },
});

/**
 * The JSON Schema (2020-12) of a contract file, for completion and checks in an editor. It comes from the table that
 * contracts are read by. What it accepts may still have faults that only the check sees.
 */
export function contractSchema(): JsonObject {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Signalbox capability contract',
    ...CONTRACT.schema,
  };
}
