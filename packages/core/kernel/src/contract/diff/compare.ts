import type { Amounts, Money } from '../../budget/amounts.ts';
import { compareDecimals } from '../../budget/decimal-text.ts';
import { clausesOf } from '../../expression/clauses.ts';
import { canonicalJson } from '../../json/canonical.ts';
import type { JsonObject } from '../../json/value.ts';
import { schemaChanges } from '../../schema/subset/schema-changes.ts';
import { type Difference, narrows, neutral, widens } from './change.ts';

/** Of a limit that is absent where there is none. `what` is the beginning of the sentence. */
export function compareLimit(
  what: string,
  old: number | undefined,
  now: number | undefined,
  at?: string,
): Difference[] {
  if (old === now) return [];
  if (now === undefined) return [widens(`${what}: no limit (was ${old})`, at)];
  if (old === undefined) return [narrows(`${what}: at most ${now}`, at)];
  return [(now > old ? widens : narrows)(`${what}: at most ${now} (was ${old})`, at)];
}

/** Words in the order of what they let happen, the strictest first. */
export function compareOrder<Word extends string>(
  what: string,
  order: readonly Word[],
  old: Word,
  now: Word,
): Difference[] {
  if (old === now) return [];
  return [(order.indexOf(now) > order.indexOf(old) ? widens : narrows)(`${what} was \`${old}\` and is \`${now}\``)];
}

/** Of a condition that must hold; absent it always does. */
export function compareCondition(old: string | undefined, now: string | undefined, what: string): Difference[] {
  const [before, after] = [clausesOf(old, '&&'), clausesOf(now, '&&')];
  if (isSubset(before, after) && isSubset(after, before)) return [];
  if (now === undefined) return [widens(`${what} whatever the state is (it was: only when \`${old}\`)`)];
  if (isSubset(before, after)) return [narrows(`${what} only when \`${now}\``)];
  const reason = isSubset(after, before) ? '' : ', which cannot be shown to hold less often';
  return [widens(`${what} when \`${now}\` (it was: \`${old}\`)${reason}`)];
}

/** Whether two expressions are one, spacing and brackets aside. */
export function isSameExpression(a: string | undefined, b: string | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  const [before, after] = [clausesOf(a, '&&'), clausesOf(b, '&&')];
  return isSubset(before, after) && isSubset(after, before);
}

export function isSubset<Item>(part: ReadonlySet<Item>, whole: ReadonlySet<Item>): boolean {
  return [...part].every(item => whole.has(item));
}

export function compareSchemas(old: JsonObject | undefined, now: JsonObject | undefined, what: string): Difference[] {
  const changes = schemaChanges(old ?? {}, now ?? {});
  if (changes.length > 0) {
    return changes.map(({ widens: isWider, message, pointer }) =>
      (isWider ? widens : narrows)(`${what}: ${message}`, pointer),
    );
  }
  const isSame = canonicalJson(old ?? null) === canonicalJson(now ?? null);
  return isSame ? [] : [neutral(`${what}: described otherwise`)];
}

/** Whom it is asked of; nobody named is anybody entitled. `may` says what they may do: of `be`, or `no longer be`. */
export function compareAssignees(
  old: readonly string[] = [],
  now: readonly string[] = [],
  may: (be: 'be' | 'no longer be') => string,
): Difference[] {
  if (now.length === 0) return old.length === 0 ? [] : [widens(`${may('be')} by anybody entitled`, '/assignees')];
  if (old.length === 0) return [narrows(`${may('be')} by ${now.join(', ')} alone`, '/assignees')];
  const added = now.filter(who => !old.includes(who));
  const gone = old.filter(who => !now.includes(who));
  return [
    ...(added.length === 0 ? [] : [widens(`${may('be')} by ${added.join(', ')} as well`, '/assignees')]),
    ...(gone.length === 0 ? [] : [narrows(`${may('no longer be')} by ${gone.join(', ')}`, '/assignees')]),
  ];
}

const COUNTS = { tokens: 'tokens', modelCalls: 'model calls', toolCalls: 'tool calls', time: 'time in ms' } as const;
type Counted = keyof typeof COUNTS;
const COUNTED = Object.keys(COUNTS) as readonly Counted[];

/** Of amounts that are allowed; an absent one has no bound. */
export function compareAmounts(what: string, old: Amounts = {}, now: Amounts = {}): Difference[] {
  return [
    ...COUNTED.flatMap(key => compareLimit(`${what}, ${COUNTS[key]}`, old[key], now[key], `/${key}`)),
    ...compareMoney(`${what}, money`, old.money, now.money),
  ];
}

function compareMoney(what: string, old: Money | undefined, now: Money | undefined): Difference[] {
  if (now === undefined) return old === undefined ? [] : [widens(`${what}: no limit (was ${moneyText(old)})`)];
  if (old === undefined) return [narrows(`${what}: at most ${moneyText(now)}`, '/money')];
  const order = moneyOrder(old, now);
  const message = `${what}: at most ${moneyText(now)} (was ${moneyText(old)})`;
  return order === 0 ? [] : [(order > 0 ? widens : narrows)(message, '/money')];
}

/** Of what one call costs: a cheaper one exhausts a budget later. An absent amount is nothing. */
export function compareCosts(what: string, old: Amounts = {}, now: Amounts = {}): Difference[] {
  const counts = COUNTED.flatMap(key => {
    const [before, after] = [old[key] ?? 0, now[key] ?? 0];
    if (before === after) return [];
    return [(after < before ? widens : narrows)(`${what}, ${COUNTS[key]}: ${after} (was ${before})`, `/${key}`)];
  });
  const [before, after] = [old.money ?? nothing(now.money), now.money ?? nothing(old.money)];
  if (before === undefined || after === undefined) return counts;
  const order = before.currency === after.currency ? moneyOrder(before, after) : -1;
  const message = `${what}: ${moneyText(after)} (was ${moneyText(before)})`;
  return order === 0 ? counts : [...counts, (order < 0 ? widens : narrows)(message, '/money')];
}

function nothing(like: Money | undefined): Money | undefined {
  return like && { amount: '0', currency: like.currency };
}

/** Above 0 where `now` is more, or cannot be compared. */
function moneyOrder(old: Money, now: Money): number {
  return old.currency === now.currency ? compareDecimals(now.amount, old.amount) : 1;
}

function moneyText({ amount, currency }: Money): string {
  return `${amount} ${currency}`;
}
