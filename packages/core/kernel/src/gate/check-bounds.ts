import type { Expression } from '../expression/expression.ts';
import { valueAt } from '../json/pointer.ts';
import { createIssue, type Issue } from '../schema/issue.ts';
import { isBound } from './bound.ts';
import { exceedsLeft } from './exceeds-left.ts';
import { usedUp } from './offered-tools.ts';
import { type Passage, readsFacts, type Stop } from './passage.ts';

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

/** The stage `limits`. */
export function checkLimits(passage: Passage): Stop | undefined {
  const why = usedUp(passage.tool, passage.facts, passage.options);
  return why === undefined ? passage.pass('limits') : passage.refuse('limits', { code: why.code, message: why.reason });
}

/** The stage `rules`. A call whose idempotency key cannot be made breaks a rule that no contract may lift. */
export function checkRules(passage: Passage): Stop | undefined {
  const { contract, call, sight } = passage;
  sight.tool = call.tool;
  const broken = contract.rules.flatMap(({ definition: { tools, message }, assert }) => {
    if (tools !== undefined && !tools.includes(call.tool)) return [];
    const why = passage.whyNot(assert);
    return why === undefined ? [] : [{ message, why, retryable: readsFacts(assert) }];
  });
  const keyless = broken.length > 0 ? undefined : makeIdempotencyKey(passage);
  if (keyless !== undefined) return passage.refuse('rules', { code: 'ruleBroken', message: keyless });
  if (broken.length === 0) return passage.pass('rules');
  const message = broken.map(rule => `${rule.message} (${rule.why})`).join('; ');
  return passage.refuse('rules', {
    code: 'ruleBroken',
    message: `\`${call.tool}\` may not be called like this: ${message}.`,
    retryable: broken.every(rule => rule.retryable),
  });
}

function makeIdempotencyKey(passage: Passage): string | undefined {
  const { idempotencyKey } = passage.tool;
  if (idempotencyKey === undefined) return undefined;
  const result = idempotencyKey.evaluate(passage.sight);
  if (result.ok && typeof result.value === 'string' && result.value !== '') {
    passage.idempotencyKey = result.value;
    return undefined;
  }
  const why = result.ok
    ? `\`${idempotencyKey.source}\` gives no text`
    : passage.unevaluable(idempotencyKey, result.reason);
  return `A call of \`${passage.call.tool}\` needs an idempotency key: ${why}.`;
}

/** The stage `budget`. */
export function checkBudget(passage: Passage): Stop | undefined {
  const { left } = passage.options;
  const why = left === undefined ? undefined : exceedsLeft(passage.tool.definition.cost, left);
  if (why === undefined) return passage.pass('budget');
  return passage.refuse('budget', { code: 'overBudget', message: `\`${passage.call.tool}\` is not called: ${why}.` });
}
