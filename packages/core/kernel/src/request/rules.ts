import { pointerTo } from '../error/fault.ts';
import type { Expression } from '../expression/expression.ts';
import type { JsonObject } from '../json/value.ts';
import type { Issue } from '../schema/issue.ts';
import { commitTime } from '../time/commit-time.ts';

/** A rule across fields, compiled: `holds` sees `values` and `now`. */
export interface Rule {
  readonly holds: Expression;
  readonly message: string;
  readonly fields: readonly string[];
}

/**
 * What the values of a form break of its rules; the values must be valid one by one. One that cannot be evaluated does not hold, and
 * says why: nothing is let through that nobody could check.
 */
export function brokenRules(rules: readonly Rule[], values: JsonObject, at: number): Issue[] {
  const see = { values, now: commitTime(at) };
  return rules.flatMap(({ holds, message, fields }) => {
    const result = holds.evaluate(see);
    if (result.ok && result.value === true) return [];
    const told = result.ok ? message : `${message} (${result.reason})`;
    const pointers = fields.length === 0 ? [''] : fields.map(name => pointerTo('', name));
    return pointers.map(pointer => ({ pointer, code: 'rule', message: told }));
  });
}
