import type { CompiledContract, GateFacts, JsonObject, JsonValue } from '@signalbox/kernel';
import { countTokens } from './count-tokens.ts';

/** Tokens that the summary of the state and the dynamic prompts may take together, as counted by a tokenizer library. */
const MOST_TOKENS = 200;
const MOST_CHARS_OF_A_VALUE = 120;

export interface StateSummary {
  readonly text: string;
  /** Dynamic prompts that could not be evaluated. */
  readonly leftOut: readonly LeftOut[];
}

/** A text of the contract that the model is not told, as it cannot be made. */
export interface LeftOut {
  readonly what: string;
  readonly reason: string;
}

interface Line {
  readonly text: string;
  readonly kind: 'prompt' | 'value';
  /** Among its kind: higher goes later. */
  readonly priority: number;
}

/**
 * What an agent is told of the state it works in: the dynamic prompts of its contract that hold, and the state's values.
 * The same state gives the same text. Over the bound the least important goes first: values from the last key on, then
 * prompts by their priority, of equal ones the later.
 */
export function stateSummary(contract: CompiledContract, facts: GateFacts): StateSummary {
  const { lines: prompts, leftOut } = matchingPrompts(contract, facts);
  const values = valueLines(facts.state);
  let kept = [...prompts, ...values];
  while (kept.length > 0 && countTokens(join(kept)) > MOST_TOKENS) kept = withoutLeast(kept);
  return { text: join(kept), leftOut };
}

/** One that cannot be evaluated is left out, and said to be. */
function matchingPrompts(contract: CompiledContract, facts: GateFacts) {
  const see = facts as unknown as Readonly<Record<string, unknown>>;
  const lines: Line[] = [];
  const leftOut: LeftOut[] = [];
  for (const { definition, condition, template } of contract.prompts) {
    const holds = condition.evaluate(see);
    if (holds.ok && holds.value !== true) continue;
    const filled = holds.ok ? template.fill(see) : holds;
    if (filled.ok) lines.push({ text: filled.text, kind: 'prompt', priority: definition.priority });
    else leftOut.push({ what: `dynamic prompt \`${condition.source}\``, reason: filled.reason });
  }
  return { lines, leftOut };
}

/** In the order of their names. */
function valueLines(state: JsonObject): Line[] {
  return Object.keys(state)
    .sort()
    .map((key, index) => ({ text: `- ${key}: ${shown(state[key]!)}`, kind: 'value', priority: -index }));
}

function shown(value: JsonValue): string {
  const text = typeof value === 'string' ? value.replace(/\s+/g, ' ') : JSON.stringify(value);
  const points = [...text];
  return points.length > MOST_CHARS_OF_A_VALUE ? `${points.slice(0, MOST_CHARS_OF_A_VALUE).join('')}…` : text;
}

function withoutLeast(lines: readonly Line[]): Line[] {
  let least = 0;
  for (const [index, line] of lines.entries()) if (isNoMore(line, lines[least]!)) least = index;
  return lines.toSpliced(least, 1);
}

/** Any value is less than any prompt. */
function isNoMore(one: Line, other: Line): boolean {
  return one.kind === other.kind ? one.priority <= other.priority : one.kind === 'value';
}

function join(lines: readonly Line[]): string {
  const of = (wanted: Line['kind']) => lines.filter(({ kind }) => kind === wanted).map(({ text }) => text);
  const values = of('value');
  return [...of('prompt'), ...(values.length === 0 ? [] : [`State:\n${values.join('\n')}`])].join('\n\n');
}
