import { clausesOf } from '../../expression/clauses.ts';
import { canonicalJson } from '../../json/canonical.ts';
import type { JsonValue } from '../../json/value.ts';
import { ON_BUDGET_REACHED } from '../defaults.ts';
import type { CallRule, ContractDefinition, OutputRule } from '../definition.ts';
import { type ContractChange, type Difference, narrows, neutral, widens } from './change.ts';
import { compareAmounts, compareAssignees, compareSchemas, isSubset } from './compare.ts';
import { compareMarks } from './compare-marks.ts';
import { toolChanges } from './compare-tools.ts';

/**
 * What of an agent's world changes from one contract to the next: what becomes allowed, forbidden, or subject to
 * approval. A change counts as widening unless it can be shown that no call is let through that was not before, with no
 * less approval.
 */
export function diffContracts(old: ContractDefinition, now: ContractDefinition): readonly ContractChange[] {
  return [
    ...toolChanges(old, now),
    ...placed('rules', ruleChanges(old, now)),
    ...placed('budgets', budgetChanges(old.budgets, now.budgets)),
    ...placed('output', compareSchemas(old.output, now.output, 'The reply')),
    ...placed('output', replyMarks(old, now)),
    ...placed('outputRules', outputRuleChanges(old.outputRules, now.outputRules)),
    ...placed('confidence', confidenceChanges(old.confidence, now.confidence)),
    ...placed('prompts', promptChanges(old, now)),
    ...(old.name === now.name ? [] : placed('name', [neutral(`It is the contract of \`${now.name}\``)])),
  ];
}

function placed(member: keyof ContractDefinition, differences: readonly Difference[]): ContractChange[] {
  return differences.map(({ kind, message, at = '' }) => ({
    kind,
    about: kind === 'neutral' ? 'other' : kind === 'widens' ? 'allowed' : 'forbidden',
    pointer: `/${member}${at}`,
    message: `${message}.`,
  }));
}

function replyMarks({ output: old }: ContractDefinition, { output: now }: ContractDefinition): Difference[] {
  const marks = compareMarks({ pointers: [], schema: old }, { pointers: [], schema: now }, 'part');
  return marks.map(({ message, ...rest }) => ({ ...rest, message: `The reply ${message}` }));
}

/** A rule is kept where another of all its tools asserts as much. One whose tools are all gone binds nothing. */
function ruleChanges(old: ContractDefinition, now: ContractDefinition): Difference[] {
  const gone = old.rules
    .filter(rule => toolsOf(rule, now).length > 0 && !now.rules.some(other => covers(other, rule, now)))
    .map(rule => widens(`The rule \`${rule.assert}\` is gone, or cannot be shown to be kept`));
  const added = now.rules.flatMap((rule, index) =>
    old.rules.some(other => covers(other, rule, now))
      ? []
      : [narrows(`A rule must hold: \`${rule.assert}\``, `/${index}`)],
  );
  return [...gone, ...added];
}

function covers(rule: CallRule, other: CallRule, contract: ContractDefinition): boolean {
  const tools = new Set(toolsOf(rule, contract));
  return toolsOf(other, contract).every(tool => tools.has(tool)) && asserts(rule, other);
}

function toolsOf({ tools }: CallRule, contract: ContractDefinition): readonly string[] {
  return (tools ?? Object.keys(contract.tools)).filter(tool => Object.hasOwn(contract.tools, tool));
}

function asserts(rule: OutputRule, other: OutputRule): boolean {
  return isSubset(clausesOf(other.assert, '&&'), clausesOf(rule.assert, '&&'));
}

function outputRuleChanges(old: readonly OutputRule[], now: readonly OutputRule[]): Difference[] {
  return [
    ...old
      .filter(rule => !now.some(other => asserts(other, rule)))
      .map(rule => widens(`The rule \`${rule.assert}\` of the reply is gone, or cannot be shown to be kept`)),
    ...now.flatMap((rule, index) =>
      old.some(other => asserts(other, rule))
        ? []
        : [narrows(`A rule of the reply must hold: \`${rule.assert}\``, `/${index}`)],
    ),
  ];
}

function budgetChanges(old: ContractDefinition['budgets'], now: ContractDefinition['budgets']): Difference[] {
  const within = (scope: string, differences: Difference[]) =>
    differences.map(difference => ({ ...difference, at: `/${scope}${difference.at ?? ''}` }));
  return [
    ...within('run', compareAmounts('The budget of a run', old?.run, now?.run)),
    ...within('session', compareAmounts('The budget of a session', old?.session, now?.session)),
    ...within('tenantPerDay', compareAmounts('The budget of a tenant a day', old?.tenantPerDay, now?.tenantPerDay)),
    ...within('onReached', hasBudget(old) ? compareOnReached(old.onReached, now?.onReached) : []),
  ];
}

type Budgets = NonNullable<ContractDefinition['budgets']>;

/** What was never reached led to nothing. */
function hasBudget(budgets: Budgets | undefined): budgets is Budgets {
  return [budgets?.run, budgets?.session, budgets?.tenantPerDay].some(amounts => Object.keys(amounts ?? {}).length > 0);
}

/** Only to stop is stricter than anything else: `degrade` goes on unasked, and `ask` as far as somebody lets it. */
function compareOnReached(old: Budgets['onReached'], now: Budgets['onReached'] = ON_BUDGET_REACHED): Difference[] {
  if (old === now) return [];
  const message = `What comes of a budget that is reached was \`${old}\` and is \`${now}\``;
  return [(now === 'stop' ? narrows : widens)(message)];
}

function confidenceChanges(old: ContractDefinition['confidence'], now: ContractDefinition['confidence']): Difference[] {
  const [before, after] = [old?.below ?? 0, now?.below ?? 0];
  const message = `A choice is asked about below a confidence of ${after} (was ${before})`;
  const threshold = before === after ? [] : [(after < before ? widens : narrows)(message, now && '/below')];
  if (old === undefined || now === undefined) return threshold;
  return [...threshold, ...compareAssignees(old.assignees, now.assignees, be => `Choices may ${be} answered`)];
}

/** Prompts steer an agent; they let it do nothing. */
function promptChanges({ prompts: old }: ContractDefinition, { prompts: now }: ContractDefinition): Difference[] {
  const textOf = (prompt: unknown) => canonicalJson(prompt as JsonValue);
  const before = new Set(old.map(textOf));
  const after = new Set(now.map(textOf));
  return [
    ...now.flatMap((prompt, index) =>
      before.has(textOf(prompt)) ? [] : [neutral(`A prompt is added when \`${prompt.condition}\``, `/${index}`)],
    ),
    ...old
      .filter(prompt => !after.has(textOf(prompt)))
      .map(prompt => neutral(`A prompt is no longer added when \`${prompt.condition}\``)),
  ];
}
