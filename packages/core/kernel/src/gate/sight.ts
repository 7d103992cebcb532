import type { CompiledContract } from '../contract/compiled-contract.ts';
import type { JsonObject, JsonValue } from '../json/value.ts';
import { commitTime } from '../time/commit-time.ts';
import type { GateFacts, ToolHistory } from './judgement.ts';

export const NO_HISTORY: ToolHistory = Object.freeze({
  calls: 0,
  callsInNode: 0,
  callsInSession: 0,
  succeeded: 0,
  failed: 0,
  failedInARow: 0,
  refused: 0,
});

export function historyOf(tool: string, facts: GateFacts): ToolHistory {
  return Object.hasOwn(facts.tools, tool) ? facts.tools[tool]! : NO_HISTORY;
}

/** What a contract's expressions see. Every part is made when it is read, not before. */
export class Sight {
  [name: string]: unknown;
  readonly #contract: CompiledContract;
  readonly #facts: GateFacts;
  /** The tool's name, for rules. */
  tool?: string;
  /** Set when they are what the tool would get. */
  args?: JsonObject;
  output?: JsonValue;

  constructor(contract: CompiledContract, facts: GateFacts) {
    this.#contract = contract;
    this.#facts = facts;
  }

  get state() {
    return this.#facts.state;
  }

  get session() {
    return this.#facts.session;
  }

  get input() {
    return this.#facts.input;
  }

  get answers() {
    return this.#facts.answers;
  }

  get run() {
    return this.#facts.run;
  }

  get now() {
    return commitTime(this.#facts.now);
  }

  /** An entry for every tool of the contract, called or not. */
  get tools() {
    const names = [...this.#contract.tools.keys()];
    return Object.fromEntries(names.map(name => [name, historyOf(name, this.#facts)]));
  }
}
