import type { Expression } from '../expression/expression.ts';
import { jsonEqual } from '../json/equal.ts';
import { valueAt } from '../json/pointer.ts';
import type { JsonValue } from '../json/value.ts';
import { createIssue, type Issue } from '../schema/issue.ts';
import type { Passage, Stop } from './passage.ts';

/** The stage `bind`. The message names the expression, never what it gave: the model may not know that. */
export function checkBound(passage: Passage): Stop | undefined {
  const { bind } = passage.tool;
  if (bind.length === 0) return passage.pass('bind');
  const broken = bind.flatMap(({ pointer, expression }) => {
    const why = whyUnbound(passage, pointer, expression);
    return why === undefined ? [] : [{ pointer, why }];
  });
  if (broken.length === 0) return passage.pass('bind');
  const issues: Issue[] = broken.map(({ pointer, why }) => ({ ...createIssue(pointer, 'notBound'), message: why }));
  const message = `\`${passage.call.tool}\` may not be called with these arguments: ${issues.map(issue => `${issue.pointer} ${issue.message}`).join('; ')}.`;
  return passage.refuse('bind', { code: 'notBound', message, issues, retryable: true });
}

function whyUnbound(passage: Passage, pointer: string, expression: Expression): string | undefined {
  const result = expression.evaluate(passage.sight);
  if (!result.ok) return `cannot be compared: ${passage.unevaluable(expression, result.reason)}`;
  const bound = isBound(valueAt(passage.args, pointer), result.value);
  return bound ? undefined : `must be what \`${expression.source}\` gives`;
}

/**
 * Whether an argument is what it is bound to: equal to it, a member of it, or a list of members of it. An argument that is
 * not there and an empty list are neither: left open, a tool may take them for everything.
 */
function isBound(argument: JsonValue | undefined, to: JsonValue): boolean {
  if (argument === undefined) return false;
  if (jsonEqual(argument, to)) return true;
  if (!Array.isArray(to)) return false;
  const isMember = (value: JsonValue) => to.some(member => jsonEqual(value, member));
  return isMember(argument) || (Array.isArray(argument) && argument.length > 0 && argument.every(isMember));
}
