import { pointerTo } from '../../error/fault.ts';
import { canonicalJson } from '../../json/canonical.ts';
import type { JsonValue } from '../../json/value.ts';
import { parseDuration } from '../../time/duration.ts';
import { TOOL_DEFAULTS } from '../defaults.ts';
import type { ContractDefinition, ToolContract } from '../definition.ts';
import { type ContractChange, type Difference, narrows, neutral, widens } from './change.ts';
import {
  compareCondition,
  compareCosts,
  compareLimit,
  compareOrder,
  compareSchemas,
  isSameExpression,
} from './compare.ts';
import { compareApprovals } from './compare-approval.ts';
import { compareMarks, type Marked } from './compare-marks.ts';

export function toolChanges(old: ContractDefinition, now: ContractDefinition): ContractChange[] {
  const gone = Object.keys(old.tools)
    .filter(name => !Object.hasOwn(now.tools, name))
    .map(name => changeOf(name, 'tool', narrows('may no longer be called')));
  const others = Object.entries(now.tools).flatMap(([name, tool]) =>
    Object.hasOwn(old.tools, name) ? memberChanges(name, old.tools[name]!, tool) : [added(name, tool)],
  );
  return [...gone, ...others];
}

function added(name: string, { approval, effect }: ToolContract): ContractChange {
  const asked = approval === undefined ? '' : ', with approval';
  return changeOf(name, 'tool', widens(`may be called (${effect})${asked}`));
}

function memberChanges(name: string, old: ToolContract, now: ToolContract): ContractChange[] {
  return MEMBERS.flatMap(member => COMPARISONS[member](old, now).map(difference => changeOf(name, member, difference)));
}

function changeOf(tool: string, member: keyof ToolContract | 'tool', difference: Difference): ContractChange {
  const { kind, message, at = '' } = difference;
  const place = pointerTo('/tools', tool);
  const about =
    kind === 'neutral' ? 'other' : member === 'approval' ? 'approval' : kind === 'widens' ? 'allowed' : 'forbidden';
  return {
    kind,
    about,
    tool,
    pointer: member === 'tool' ? place : `${place}/${member}${at}`,
    message: `\`${tool}\` ${message}.`,
  };
}

type Comparison = (old: ToolContract, now: ToolContract) => Difference[];

/** Every member of a tool: one added to the definition must be compared here. */
const COMPARISONS: { readonly [Member in keyof Required<ToolContract>]: Comparison } = {
  description: (old, now) => (old.description === now.description ? [] : [neutral('is described otherwise')]),
  input: (old, now) => compareSchemas(old.input, now.input, 'takes other arguments'),
  output: (old, now) => compareSchemas(old.output, now.output, 'may give other results'),
  effect: (old, now) =>
    compareOrder('has another effect class: it', ['once', 'repeat', 'read'], old.effect, now.effect),
  when: (old, now) => compareCondition(old.when, now.when, 'may be called'),
  bind: (old, now) => compareBinds(old.bind, now.bind),
  normalize: (old, now) =>
    old.normalize === now.normalize
      ? []
      : [now.normalize ? widens('has its arguments normalized') : narrows('takes its arguments as they are')],
  approval: (old, now) => compareApprovals(old.approval, now.approval),
  idempotencyKey: compareKeys,
  timeout: (old, now) => compareTimeouts(old.timeout, now.timeout),
  retry: (old, now) => compareRetries(old, now),
  limits: ({ limits: old = {} }, { limits: now = {} }) => [
    ...compareLimit('has another limit of calls in a run', old.perRun, now.perRun, '/perRun'),
    ...compareLimit('has another limit of calls in a node', old.perNode, now.perNode, '/perNode'),
    ...compareLimit('has another limit of calls in a session', old.perSession, now.perSession, '/perSession'),
    ...compareLimit(
      'has another limit of failures in a row',
      old.failuresInARow,
      now.failuresInARow,
      '/failuresInARow',
    ),
  ],
  sensitive: (old, now) => compareMarks(argumentsOf(old), argumentsOf(now), 'argument'),
  sensitiveOutput: (old, now) => compareMarks(resultOf(old), resultOf(now), 'result'),
  writes: (old, now) => compareWrites(old.writes, now.writes),
  compensate: compareCompensations,
  bridge: (old, now) => (isSame(old.bridge, now.bridge) ? [] : [neutral('shows its results to the agent otherwise')]),
  parallel: (old, now) =>
    old.parallel === now.parallel
      ? []
      : [now.parallel ? widens('may run beside other calls') : narrows('may no longer run beside other calls')],
  cost: (old, now) => compareCosts('has another cost', old.cost, now.cost),
};

const MEMBERS = Object.keys(COMPARISONS) as readonly (keyof ToolContract)[];

function compareBinds(old: ToolContract['bind'], now: ToolContract['bind']): Difference[] {
  const pointers = [...new Set([...Object.keys(old), ...Object.keys(now)])];
  return pointers.flatMap(pointer => {
    const at = pointerTo('', pointer);
    const [before, after] = [ownOf(old, pointer), ownOf(now, pointer)];
    if (isSameExpression(before, after)) return [];
    if (after === undefined) return [widens(`no longer has \`${pointer}\` bound to \`${before}\``, at)];
    if (before === undefined) return [narrows(`has \`${pointer}\` bound to \`${after}\``, at)];
    const message = `has \`${pointer}\` bound to \`${after}\` (it was: \`${before}\`)`;
    return [widens(`${message}, which cannot be shown to give no more`, at)];
  });
}

/**
 * A key that changes or goes lets a call be done again that the old key would have spared. With one of its own a call in
 * doubt that is to be done once is done again unasked.
 */
function compareKeys(old: ToolContract, now: ToolContract): Difference[] {
  if (isSameExpression(old.idempotencyKey, now.idempotencyKey)) return [];
  if (old.idempotencyKey === undefined) {
    const isDoneAgain = old.effect === 'once' && now.effect === 'once';
    return [(isDoneAgain ? widens : neutral)(`has an idempotency key, \`${now.idempotencyKey}\``)];
  }
  return [widens(`has another idempotency key${now.idempotencyKey === undefined ? ': its own is gone' : ''}`)];
}

function compareTimeouts(old: string = TOOL_DEFAULTS.timeout, now: string = TOOL_DEFAULTS.timeout): Difference[] {
  const [before, after] = [parseDuration(old), parseDuration(now)];
  if (before === after) return [];
  return [(after > before ? widens : narrows)(`may take ${now} (it was: ${old})`)];
}

function compareRetries({ retry: old }: ToolContract, { retry: now }: ToolContract): Difference[] {
  const [before, after] = [old?.attempts ?? 1, now?.attempts ?? 1];
  if (before !== after) {
    return [(after > before ? widens : narrows)(`is tried ${after} time(s) (it was: ${before})`, now && '/attempts')];
  }
  return isSame(old, now) ? [] : [neutral('is tried again otherwise')];
}

function argumentsOf({ sensitive: pointers, input: schema }: ToolContract): Marked {
  return { pointers, schema };
}

function resultOf({ sensitiveOutput: pointers, output: schema }: ToolContract): Marked {
  return { pointers, schema };
}

function compareWrites(old: ToolContract['writes'], now: ToolContract['writes']): Difference[] {
  const added = Object.entries(now)
    .filter(([key, source]) => !isSameExpression(ownOf(old, key), source))
    .map(([key, source]) => widens(`writes \`${source}\` to the state key \`${key}\``, pointerTo('', key)));
  const gone = Object.keys(old).filter(key => !Object.hasOwn(now, key));
  return [...added, ...gone.map(key => narrows(`no longer writes the state key \`${key}\``))];
}

/** A call that compensates is the contract's own: neither conditions nor approvals of its tool are asked. */
function compareCompensations({ compensate: old }: ToolContract, { compensate: now }: ToolContract): Difference[] {
  if (isSame(old, now)) return [];
  if (now === undefined) return [widens('is no longer compensated')];
  return [widens(`is compensated${old === undefined ? '' : ' otherwise,'} by \`${now.tool}\``)];
}

function ownOf(texts: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(texts, key) ? texts[key] : undefined;
}

function isSame(a: unknown, b: unknown): boolean {
  return canonicalJson((a ?? null) as JsonValue) === canonicalJson((b ?? null) as JsonValue);
}
