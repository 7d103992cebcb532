import { DYN } from '../expression/expr-type.ts';
import { compileExpression } from '../expression/expression.ts';
import type { JsonObject } from '../json/value.ts';
import type { Field } from './field.ts';

/** Whether a field is asked for. A condition that cannot be evaluated hides nothing: better asked once too often than lost. */
export function isShown({ showIf }: Pick<Field, 'showIf'>, values: JsonObject): boolean {
  if (showIf === undefined) return true;
  const { expression } = compileExpression(showIf, { variables: { values: DYN } });
  const result = expression?.evaluate({ values });
  return result === undefined || !result.ok || result.value === true;
}
