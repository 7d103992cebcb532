import {
  type CompiledContract,
  type ContractDefinition,
  compileContract,
  contractHash,
  isJsonObject,
  type Program,
  SignalboxError,
} from '@signalbox/kernel';
import type { DocumentRow, EventStore } from '@signalbox/ports';
import type { Handler } from '../journal/handler.ts';
import { assertStoredAs } from '../log/stored-as.ts';

/** The contracts that a new run is pinned to, and those of them that the store may not have yet. */
export interface PinnedContracts {
  readonly contracts: Readonly<Record<string, string>>;
  readonly documents: readonly (DocumentRow & { readonly text: string })[];
}

/**
 * Contracts by their hash.
 *  1. A run is pinned at its start to what its agents' contracts are then; they are documents of the store, and what a
 *     running run is judged by is never read from a file.
 *  2. What changed on disk is taken up by the next start.
 */
export class Contracts {
  readonly #store: EventStore;
  readonly #compiled = new Map<string, CompiledContract>();
  readonly #stored = new Set<string>();

  constructor(store: EventStore) {
    this.#store = store;
  }

  /**
   * Undefined where no node of the program has a contract.
   * @throws SignalboxError for one that cannot be used; `DuplicateContract` where two go by one reference
   */
  async pin(
    program: Program,
    handler: (key: string) => Handler | undefined,
    at: number,
    folder?: string,
  ): Promise<PinnedContracts | undefined> {
    const contracts: Record<string, string> = {};
    const documents: (DocumentRow & { text: string })[] = [];
    for (const { load, reference } of usesIn(program, handler)) {
      const definition = await load(folder);
      const hash = this.#compile(definition).hash;
      // An agent would else be judged by what another one may do.
      if (Object.hasOwn(contracts, reference) && contracts[reference] !== hash) throw duplicateContract(reference);
      if (Object.hasOwn(contracts, reference)) continue;
      contracts[reference] = hash;
      if (this.#stored.has(hash)) continue;
      documents.push({
        kind: 'contract',
        name: definition.name,
        hash,
        createdAt: at,
        text: JSON.stringify(definition),
      });
    }
    return Object.keys(contracts).length === 0 ? undefined : { contracts, documents };
  }

  markStored({ contracts }: PinnedContracts): void {
    for (const hash of Object.values(contracts)) this.#stored.add(hash);
  }

  /** @throws SignalboxError `UnknownContract`, `HashMismatch` */
  async get(hash: string): Promise<CompiledContract> {
    const known = this.#compiled.get(hash);
    if (known !== undefined) return known;
    const text = await this.#store.document('contract', hash);
    const read: unknown = text === undefined ? undefined : JSON.parse(text);
    if (!isJsonObject(read))
      throw new SignalboxError('UnknownContract', `There is no contract ${hash} in the store.`, { details: { hash } });
    const definition = read as unknown as ContractDefinition;
    assertStoredAs(hash, contractHash(definition), 'contract');
    return this.#compile(definition);
  }

  #compile(definition: ContractDefinition): CompiledContract {
    const hash = contractHash(definition);
    const known = this.#compiled.get(hash);
    if (known !== undefined) return known;
    const contract = compileContract(definition);
    this.#compiled.set(hash, contract);
    return contract;
  }
}

function duplicateContract(reference: string): SignalboxError {
  return new SignalboxError('DuplicateContract', `Two agents have different contracts that go by "${reference}".`, {
    hint: 'Give the contracts different names (`agent_name`), or their files.',
    details: { contract: reference },
  });
}

function* usesIn(program: Program, handler: (key: string) => Handler | undefined) {
  for (const graph of program.graphs.values())
    for (const node of graph.nodes.values()) {
      if (node.handler === undefined) continue;
      const use = handler(node.handler.handler)?.contract?.(node.handler.with ?? {});
      if (use !== undefined) yield use;
    }
}
