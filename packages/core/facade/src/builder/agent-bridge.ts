import { type BridgeOptions, compileText, ExprType, SignalboxError } from '@signalbox/kernel';
import type { BridgeOfNode } from './agent-parts.ts';

const VARIABLES = ['tool', 'args', 'output', 'state', 'session', 'input', 'answers', 'run', 'now', 'tools'];
const OPEN = { variables: Object.fromEntries(VARIABLES.map(name => [name, ExprType.dyn])) };

/** @throws SignalboxError `InvalidPrompt` */
export function toBridge({ template: source, maxChars }: BridgeOfNode): BridgeOptions {
  const bounded = maxChars === undefined ? {} : { maxChars };
  if (source === undefined) return bounded;
  const { template, faults } = compileText(source, OPEN);
  if (template !== undefined) return { ...bounded, template };
  const said = faults.map(({ message }) => message).join('; ');
  throw new SignalboxError('InvalidPrompt', `The bridge of an agent cannot be used: ${said}`, {
    hint: 'Placeholders are CEL: {{ output.name }}.',
    details: { faults: faults.map(({ code, message }) => ({ code, message })) },
  });
}
