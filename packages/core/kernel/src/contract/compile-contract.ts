import type { Fault } from '../error/fault.ts';
import { BOOL } from '../expression/expr-type.ts';
import { checkedJsonSchema } from '../schema/json-schema.ts';
import { compileTool } from './compile-tool.ts';
import type { CompiledContract } from './compiled-contract.ts';
import type { ContractDefinition } from './definition.ts';
import { ContractEnvironment, type ContractTypes } from './environment.ts';
import { CheckingMaker, DEFERRING_MAKER, type ExpressionMaker } from './expression-maker.ts';
import { hashOf } from './normalize.ts';

/**
 * Makes a contract ready that was checked before. Expressions, validators and the hash are made at their first use, so a
 * contract of a hundred tools costs a process little at its start. An expression that turns out to have a fault can
 * never be evaluated, and so closes what it stands for.
 */
export function compileContract(definition: ContractDefinition, types: ContractTypes = {}): CompiledContract {
  return compileWith(definition, types, DEFERRING_MAKER);
}

/** The faults of all expressions of a contract. */
export function expressionFaults(definition: ContractDefinition, types: ContractTypes): readonly Fault[] {
  const maker = new CheckingMaker();
  compileWith(definition, types, maker);
  return maker.faults;
}

function compileWith(definition: ContractDefinition, types: ContractTypes, maker: ExpressionMaker): CompiledContract {
  const environment = new ContractEnvironment(definition, types);
  const { facts, reply } = environment;
  const compilation = { contract: definition, environment, maker, types };
  let hash: string | undefined;
  return Object.freeze({
    definition,
    get hash() {
      hash ??= hashOf(definition);
      return hash;
    },
    tools: new Map(Object.keys(definition.tools).map(name => [name, compileTool(name, compilation)])),
    rules: definition.rules.map((rule, index) => ({
      definition: rule,
      assert: maker.expression(rule.assert, `/rules/${index}/assert`, () => environment.rule(rule.tools), BOOL),
    })),
    prompts: definition.prompts.map((prompt, index) => ({
      definition: prompt,
      condition: maker.expression(prompt.condition, `/prompts/${index}/condition`, facts, BOOL),
      template: maker.template(prompt.template, `/prompts/${index}/template`, facts),
    })),
    ...(definition.output === undefined ? {} : { output: checkedJsonSchema(definition.output) }),
    outputRules: definition.outputRules.map((rule, index) => ({
      definition: rule,
      assert: maker.expression(rule.assert, `/outputRules/${index}/assert`, reply, BOOL),
    })),
  });
}
