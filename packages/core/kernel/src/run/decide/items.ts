import type { ErrorData } from '../../event/run-event.ts';
import type { Expression } from '../../expression/expression.ts';
import type { JsonValue } from '../../json/value.ts';
import type { Bindings } from './bindings.ts';
import { errorData } from './decider.ts';

/** The most items any map may have. */
export const MAX_ITEMS = 10_000;

type Items =
  | { readonly items: readonly JsonValue[] }
  | { readonly error: ErrorData }
  | { readonly error: ErrorData; readonly limit: number };

/** The items of a map, fixed when it starts. */
export function itemsOf(expression: Expression, see: Bindings, declared: number | undefined): Items {
  const result = expression.evaluate(see);
  if (!result.ok)
    return {
      error: errorData('ConditionError', `The items "${expression.source}" cannot be evaluated: ${result.reason}.`, {
        permanent: true,
      }),
    };
  if (!Array.isArray(result.value))
    return { error: errorData('ConditionError', `The items "${expression.source}" are no list.`, { permanent: true }) };
  const limit = Math.min(declared ?? MAX_ITEMS, MAX_ITEMS);
  const items = result.value as readonly JsonValue[];
  if (items.length <= limit) return { items };
  const message = `Limit maxItems = ${limit} is reached: there are ${items.length} items.`;
  return { error: errorData('LimitReached', message, { permanent: true }), limit };
}
