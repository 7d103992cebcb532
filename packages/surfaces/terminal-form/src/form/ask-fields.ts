import { type Field, hasKey, isShown, type JsonObject, type JsonValue } from '@signalbox/kernel';
import { askField } from '../field/ask-field.ts';
import type { FormTerminal } from '../form-terminal.ts';

/** What stands in the fields at the start, and where it came from. */
export interface Suggested {
  readonly values: JsonObject;
  readonly isProposal: boolean;
}

/**
 * Field by field, each as its `showIf` says.
 *  1. `showIf` sees what is answered so far and the defaults of what was passed without an answer.
 *  2. A condition may also read fields behind its own: when all are answered, what is hidden now is dropped, what is shown now
 *     is asked for, until nothing changes.
 * @throws PromptLeft
 */
export async function askFields(
  terminal: FormTerminal,
  fields: readonly Field[],
  suggested: Suggested,
): Promise<JsonObject> {
  const answered = new Map<string, JsonValue | undefined>();
  // Each round answers a field that was not asked for yet, or is the last.
  for (let round = 0; round <= fields.length; round += 1) {
    const before = answered.size;
    for (const field of fields) {
      if (answered.has(field.name) || !isShown(field, seenBy(fields, answered))) continue;
      answered.set(field.name, await askField(terminal, { field, ...standing(field, suggested) }));
    }
    if (answered.size === before) break;
  }
  return shownValues(fields, answered);
}

function standing(field: Field, { values, isProposal }: Suggested) {
  const isSuggested = hasKey(values, field.name);
  return { standing: isSuggested ? values[field.name] : field.default, isProposed: isSuggested && isProposal };
}

function seenBy(fields: readonly Field[], answered: ReadonlyMap<string, JsonValue | undefined>): JsonObject {
  const seen = fields.flatMap((field): [string, JsonValue][] => {
    if (!answered.has(field.name)) return [];
    const value = answered.get(field.name) ?? field.default;
    return value === undefined ? [] : [[field.name, value]];
  });
  return Object.fromEntries(seen);
}

/** As the kernel looks at them: in order, without the values of what is hidden. */
function shownValues(fields: readonly Field[], answered: ReadonlyMap<string, JsonValue | undefined>): JsonObject {
  const seen = new Map(Object.entries(seenBy(fields, answered)));
  const values: [string, JsonValue][] = [];
  for (const field of fields) {
    const value = answered.get(field.name);
    if (!isShown(field, Object.fromEntries(seen))) seen.delete(field.name);
    else if (value !== undefined) values.push([field.name, value]);
  }
  return Object.fromEntries(values);
}
