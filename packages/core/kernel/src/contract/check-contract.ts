import type { Fault } from '../error/fault.ts';
import { errorAt } from '../graph/check/fault.ts';
import { checkTool, unknownTool } from './check/tool.ts';
import { expressionFaults } from './compile-contract.ts';
import type { ContractDefinition } from './definition.ts';
import type { ContractTypes } from './environment.ts';

/**
 * All that is wrong with a contract whose shape is right, warnings included; pointers are into the definition. `types`
 * are those of the graph that the contract is used in.
 */
export function checkContract(definition: ContractDefinition, types: ContractTypes = {}): readonly Fault[] {
  return [
    ...Object.keys(definition.tools).flatMap(name => checkTool(name, definition, types)),
    ...checkRules(definition),
    ...expressionFaults(definition, types),
  ];
}

function checkRules({ rules, tools }: ContractDefinition): Fault[] {
  return rules.flatMap((rule, index) => {
    const pointer = `/rules/${index}/tools`;
    if (rule.tools?.length === 0) {
      const hint = 'Leave `tools` out: the rule is then of all tools.';
      return [errorAt(pointer, 'UnknownTool', 'The rule names no tool, so it would bind nothing.', hint)];
    }
    return (rule.tools ?? []).flatMap((name, at) =>
      Object.hasOwn(tools, name) ? [] : [unknownTool(name, `${pointer}/${at}`, tools)],
    );
  });
}
