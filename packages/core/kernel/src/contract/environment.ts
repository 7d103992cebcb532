import { DYN, type ExprType, INT, mapOf, objectOf, STRING, TIMESTAMP, unionOf } from '../expression/expr-type.ts';
import type { ExprEnv } from '../expression/expression.ts';
import { typeOfSchema } from '../expression/schema-type.ts';
import { RUN } from '../graph/output-types.ts';
import type { ContractDefinition, ToolContract } from './definition.ts';

/** Types of what a contract's expressions may name, where the graph it is used in says them. */
export interface ContractTypes {
  readonly state?: ExprType;
  readonly session?: ExprType;
  readonly input?: ExprType;
  readonly answers?: ExprType;
}

/** As `ToolHistory` has it. */
const HISTORY: ExprType = objectOf(
  {
    calls: INT,
    callsInNode: INT,
    callsInSession: INT,
    succeeded: INT,
    failed: INT,
    failedInARow: INT,
    refused: INT,
  },
  { optional: ['callsInSession'] },
);

/** What the expressions of one contract may name, place by place. Types of schemas are read when they are asked for. */
export class ContractEnvironment {
  readonly #definition: ContractDefinition;
  readonly #types: ContractTypes;
  readonly #args = new Map<string, ExprType>();
  #facts: Readonly<Record<string, ExprType>> | undefined;

  constructor(definition: ContractDefinition, types: ContractTypes) {
    this.#definition = definition;
    this.#types = types;
  }

  /** For `when`, conditions and templates of prompts. */
  readonly facts = (): ExprEnv => ({ variables: this.#known() });

  /** For a rule over the agent's own reply. */
  readonly reply = (): ExprEnv => ({
    variables: { ...this.#known(), output: typeOfSchema(this.#definition.output) },
  });

  /** For what is looked at when a call is judged: its arguments satisfy their schema by then. */
  call(tool: string): ExprEnv {
    return { variables: { ...this.#known(), args: this.#argsOf(tool) } };
  }

  /** For what is done with a result that satisfied its schema. */
  result(tool: string): ExprEnv {
    const { output } = this.#definition.tools[tool]!;
    return { variables: { ...this.#known(), args: this.#argsOf(tool), output: typeOfSchema(output) } };
  }

  /** For a rule, of some tools or of all. */
  rule(tools: readonly string[] | undefined): ExprEnv {
    const known = tools?.filter(tool => Object.hasOwn(this.#definition.tools, tool));
    const args = known === undefined || known.length === 0 ? DYN : unionOf(known.map(tool => this.#argsOf(tool)));
    return { variables: { ...this.#known(), tool: STRING, args } };
  }

  #known(): Readonly<Record<string, ExprType>> {
    if (this.#facts !== undefined) return this.#facts;
    const { state = DYN, session = DYN, input = DYN, answers = DYN } = this.#types;
    const tools = Object.fromEntries(Object.keys(this.#definition.tools).map(name => [name, HISTORY]));
    this.#facts = { state, session, input, answers, run: RUN, now: TIMESTAMP, tools: objectOf(tools) };
    return this.#facts;
  }

  #argsOf(tool: string): ExprType {
    const known = this.#args.get(tool) ?? argsType(this.#definition.tools[tool]!);
    this.#args.set(tool, known);
    return known;
  }
}

/** Arguments are an object, whatever else their schema lets through. */
function argsType({ input }: ToolContract): ExprType {
  const type = typeOfSchema(input);
  return type.kind === 'dyn' ? mapOf(DYN) : type;
}
