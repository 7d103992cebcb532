import { clausesOf } from '../../expression/clauses.ts';
import { parseDuration } from '../../time/duration.ts';
import type { ToolApproval } from '../definition.ts';
import { type Difference, narrows, neutral, widens } from './change.ts';
import { compareAssignees, isSubset } from './compare.ts';

/** Whether as many calls are asked for, of no one else, and no less strictly. */
export function compareApprovals(old: ToolApproval | undefined, now: ToolApproval | undefined): Difference[] {
  if (old === undefined && now === undefined) return [];
  if (now === undefined) return [widens(`needs no approval any more${whenText(old!)}`)];
  if (old === undefined) return [narrows(`needs approval${whenText(now)}${whoText(now)}`)];
  return [
    ...compareWhen(old, now),
    ...compareAssignees(old.assignees, now.assignees, be => `may ${be} approved`),
    ...compareQuorums(old.quorum ?? 1, now.quorum ?? 1),
    ...compareFourEyes(old.fourEyes === true, now.fourEyes === true),
    ...compareDeadlines(old.deadline, now.deadline),
    ...(old.title === now.title ? [] : [neutral('approval is asked for in other words', '/title')]),
  ];
}

function whenText({ when }: ToolApproval): string {
  return when === undefined ? '' : ` when \`${when}\``;
}

function whoText({ assignees }: ToolApproval): string {
  return assignees === undefined ? '' : ` by ${assignees.join(', ')}`;
}

/** Without a condition every call is asked for; a call whose condition cannot be evaluated is asked for as well. */
function compareWhen(old: ToolApproval, now: ToolApproval): Difference[] {
  const [before, after] = [clausesOf(old.when, '||'), clausesOf(now.when, '||')];
  if (isSubset(before, after) && isSubset(after, before)) return [];
  if (now.when === undefined) return [narrows(`always needs approval (it was: when \`${old.when}\`)`)];
  if (old.when === undefined) return [widens(`needs approval only when \`${now.when}\` (it was: always)`, '/when')];
  if (isSubset(before, after)) return [narrows(`needs approval also when \`${now.when}\``, '/when')];
  const reason = isSubset(after, before) ? '' : ', which cannot be shown to hold as often';
  return [widens(`needs approval when \`${now.when}\` (it was: \`${old.when}\`)${reason}`, '/when')];
}

function compareQuorums(old: number, now: number): Difference[] {
  if (old === now) return [];
  return [(now < old ? widens : narrows)(`needs ${now} to approve it (was ${old})`, '/quorum')];
}

function compareFourEyes(old: boolean, now: boolean): Difference[] {
  if (old === now) return [];
  return now
    ? [narrows('may not be approved by who started it', '/fourEyes')]
    : [widens('may be approved by who started it', '/fourEyes')];
}

/** An approval that may be waited for longer may be given longer. */
function compareDeadlines(old: string | undefined, now: string | undefined): Difference[] {
  const before = old === undefined ? Number.POSITIVE_INFINITY : parseDuration(old);
  const after = now === undefined ? Number.POSITIVE_INFINITY : parseDuration(now);
  if (before === after) return [];
  const message = `approval may be given ${now === undefined ? 'at any time' : `within ${now}`}`;
  const was = old === undefined ? 'at any time' : `within ${old}`;
  return [(after > before ? widens : narrows)(`${message} (it was: ${was})`, '/deadline')];
}
