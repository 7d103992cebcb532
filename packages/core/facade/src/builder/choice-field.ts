import type { JsonObject, JsonValue } from '@signalbox/kernel';

/** What the one field of a choice is called where the choice is written as `options`. */
const CHOICE = 'choice';

/** A choice of one of several, as the field that it is. */
export function choiceField(options: JsonValue): JsonObject {
  return { name: CHOICE, type: 'radio', required: true, options };
}
