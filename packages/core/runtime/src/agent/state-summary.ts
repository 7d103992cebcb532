import type { CompiledContract, GateFacts, JsonObject, JsonValue } from '@signalbox/kernel';
import { estimateTokenCount } from 'tokenx';

/** Tokens that the summary of the state and the dynamic prompts may take together, as counted by a tokenizer library. */
const MOST_TOKENS = 200;
const MOST_CHARS_OF_A_VALUE = 120;

interface Line {
  readonly text: string;
  /** Higher goes later. */
  readonly priority: number;
}

/**
 * What an agent is told of the state it works in: the dynamic prompts of its contract that hold, and the state's values.
 * The same state gives the same text. Over the bound the least important goes first: values from the last key on, then
 * prompts by their priority, of equal ones the later.
 */
export function stateSummary(contract: CompiledContract, facts: GateFacts): string {
  const prompts = matchingPrompts(contract, facts);
  const values = valueLines(facts.state);
  let kept = [...prompts, ...values];
  while (kept.length > 0 && countTokens(join(kept)) > MOST_TOKENS) kept = withoutLeast(kept);
  return join(kept);
}

/** Counted once: a model's own tokenizer may differ by some percent. */
export function countTokens(text: string): number {
  return text === '' ? 0 : estimateTokenCount(text);
}

/** One that cannot be evaluated is left out. */
function matchingPrompts(contract: CompiledContract, facts: GateFacts): Line[] {
  const see = facts as unknown as Readonly<Record<string, unknown>>;
  return contract.prompts.flatMap(({ definition, condition, template }) => {
    const holds = condition.evaluate(see);
    if (!holds.ok || holds.value !== true) return [];
    const filled = template.fill(see);
    return filled.ok ? [{ text: filled.text, priority: definition.priority + 1 }] : [];
  });
}

/** Below every prompt, in the order of their names. */
function valueLines(state: JsonObject): Line[] {
  return Object.keys(state)
    .sort()
    .map((key, index, keys) => ({
      text: `- ${key}: ${shown(state[key]!)}`,
      priority: (keys.length - index) / (keys.length + 1) - 1,
    }));
}

function shown(value: JsonValue): string {
  const text = typeof value === 'string' ? value.replace(/\s+/g, ' ') : JSON.stringify(value);
  const points = [...text];
  return points.length > MOST_CHARS_OF_A_VALUE ? `${points.slice(0, MOST_CHARS_OF_A_VALUE).join('')}…` : text;
}

function withoutLeast(lines: readonly Line[]): Line[] {
  let least = 0;
  for (const [index, { priority }] of lines.entries()) if (priority <= lines[least]!.priority) least = index;
  return lines.toSpliced(least, 1);
}

function join(lines: readonly Line[]): string {
  const prompts = lines.filter(({ priority }) => priority >= 0).map(({ text }) => text);
  const values = lines.filter(({ priority }) => priority < 0).map(({ text }) => text);
  return [...prompts, ...(values.length === 0 ? [] : [`State:\n${values.join('\n')}`])].join('\n\n');
}
