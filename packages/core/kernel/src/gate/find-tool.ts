import { closest } from '../schema/closest.ts';
import { disabled, notAllowed, offeredTools } from './offered-tools.ts';
import type { Passage, Stop } from './passage.ts';

/** The stage `allow`: the tool is in the contract, and its `when` holds now. */
export function findTool(passage: Passage): Stop | undefined {
  const { contract, call, sight } = passage;
  const tool = contract.tools.get(call.tool);
  if (tool === undefined)
    return passage.refuse('allow', isKnown(passage) ? outOfContract(call.tool) : unknown(passage));
  passage.tool = tool;
  const why = disabled(tool, sight);
  if (why === undefined) return passage.pass('allow');
  return passage.refuse('allow', { code: why.code, message: why.reason, retryable: true });
}

function isKnown({ call, options }: Passage): boolean {
  for (const name of options.known ?? []) if (name === call.tool) return true;
  return false;
}

function outOfContract(name: string): Stop {
  const { code, reason } = notAllowed(name);
  return { code, message: reason };
}

function unknown({ call, contract, facts, options }: Passage): Stop {
  const { offered } = offeredTools(contract, facts, options);
  const meant = closest(call.tool, offered);
  const guess = meant === undefined ? '' : ` Did you mean \`${meant}\`?`;
  return { code: 'unknownTool', message: `There is no tool \`${shown(call.tool)}\`.${guess}` };
}

/** The name is the model's own text, of any length. */
function shown(name: string): string {
  return [...name].slice(0, 64).join('');
}
