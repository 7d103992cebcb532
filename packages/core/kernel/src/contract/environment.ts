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

/** What the expressions of one contract may name, place by place. */
export class ContractEnvironment {
  readonly #definition: ContractDefinition;
  readonly #facts: Readonly<Record<string, ExprType>>;
  readonly #args = new Map<string, ExprType>();

  constructor(definition: ContractDefinition, types: ContractTypes = {}) {
    this.#definition = definition;
    const names = Object.keys(definition.tools);
    this.#facts = {
      state: types.state ?? DYN,
      session: types.session ?? DYN,
      input: types.input ?? DYN,
      answers: types.answers ?? DYN,
      run: RUN,
      now: TIMESTAMP,
      tools: objectOf(Object.fromEntries(names.map(name => [name, HISTORY]))),
    };
  }

  /** For `when`, conditions and templates of prompts. */
  facts(): ExprEnv {
    return { variables: this.#facts };
  }

  /** For what is looked at when a call is judged: its arguments satisfy their schema by then. */
  call(tool: string): ExprEnv {
    return { variables: { ...this.#facts, args: this.#argsOf(tool) } };
  }

  /** For what is done with a result that satisfied its schema. */
  result(tool: string): ExprEnv {
    const { output } = this.#definition.tools[tool]!;
    return { variables: { ...this.#facts, args: this.#argsOf(tool), output: typeOfSchema(output) } };
  }

  /** For a rule, of some tools or of all. */
  rule(tools: readonly string[] | undefined): ExprEnv {
    const known = tools?.filter(tool => Object.hasOwn(this.#definition.tools, tool));
    const args = known === undefined || known.length === 0 ? DYN : unionOf(known.map(tool => this.#argsOf(tool)));
    return { variables: { ...this.#facts, tool: STRING, args } };
  }

  /** For a rule over the agent's own reply. */
  reply(): ExprEnv {
    return { variables: { ...this.#facts, output: typeOfSchema(this.#definition.output) } };
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
