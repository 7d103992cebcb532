import { SignalboxError } from '../error/error.ts';
import type { Fault } from '../error/fault.ts';
import { BOOL } from '../expression/expr-type.ts';
import { ExpressionCompiler } from '../graph/expression-compiler.ts';
import { compileJsonSchema } from '../schema/json-schema.ts';
import { compileTool } from './compile-tool.ts';
import type { CompiledContract } from './compiled-contract.ts';
import type { ContractDefinition } from './definition.ts';
import { ContractEnvironment, type ContractTypes } from './environment.ts';
import { hashOf } from './normalize.ts';
import { compileTextTemplate } from './text-template.ts';

/**
 * Makes a contract ready that was checked before. The types of a graph may be given; they make no difference to what is
 * judged, but let the expressions be checked against them.
 *
 * @throws SignalboxError `InvalidContract` when something in it cannot be compiled.
 */
export function compileContract(definition: ContractDefinition, types: ContractTypes = {}): CompiledContract {
  const { contract, faults } = compileParts(definition, types);
  const fault = faults.find(({ severity }) => severity === 'error');
  if (fault === undefined) return contract;
  const message = `The contract \`${definition.name}\` cannot be used: ${fault.message}`;
  throw new SignalboxError('InvalidContract', message, {
    hint: 'Check it with `signalbox contract check`.',
    details: { code: fault.code, pointer: fault.pointer },
  });
}

/** The faults are those of expressions alone. */
export function compileParts(
  definition: ContractDefinition,
  types: ContractTypes,
): { contract: CompiledContract; faults: readonly Fault[] } {
  const compiler = new ExpressionCompiler();
  const environment = new ContractEnvironment(definition, types);
  const facts = environment.facts();
  const reply = environment.reply();
  const compilation = { contract: definition, environment, compiler, types };
  const contract: CompiledContract = {
    definition,
    hash: hashOf(definition),
    tools: new Map(Object.keys(definition.tools).map(name => [name, compileTool(name, compilation)])),
    rules: definition.rules.map((rule, index) => ({
      definition: rule,
      assert: compiler.compile(rule.assert, `/rules/${index}/assert`, environment.rule(rule.tools), BOOL),
    })),
    prompts: definition.prompts.map((prompt, index) => ({
      definition: prompt,
      condition: compiler.compile(prompt.condition, `/prompts/${index}/condition`, facts, BOOL),
      template: compileTextTemplate(prompt.template, `/prompts/${index}/template`, facts, compiler),
    })),
    ...(definition.output === undefined ? {} : { output: compileJsonSchema(definition.output) }),
    outputRules: definition.outputRules.map((rule, index) => ({
      definition: rule,
      assert: compiler.compile(rule.assert, `/outputRules/${index}/assert`, reply, BOOL),
    })),
  };
  return { contract: Object.freeze(contract), faults: compiler.faults };
}
