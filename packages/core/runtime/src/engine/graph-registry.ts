import {
  type GraphCode,
  type GraphDefinition,
  isJsonObject,
  loadProgram,
  type Program,
  SignalboxError,
} from '@signalbox/kernel';
import type { DocumentRow, EventStore } from '@signalbox/ports';
import type { Handler } from '../journal/handler.ts';
import { assertStoredAs } from '../log/stored-as.ts';

/** A graph as the authoring API gives it. */
export interface RegisteredGraph {
  readonly name: string;
  readonly definition: GraphDefinition;
  readonly program: Program;
  readonly handlers: ReadonlyMap<string, Handler>;
  readonly code: GraphCode;
  /** What relative paths in the definition are relative to; absent: where the process runs. */
  readonly folder?: string;
}

/** Graph versions and the code behind their handler keys, as this process knows them. */
export class GraphRegistry {
  readonly #store: EventStore;
  readonly #byName = new Map<string, RegisteredGraph>();
  readonly #programs = new Map<string, Program>();
  readonly #handlers = new Map<string, Handler>();
  readonly #code = new Map<string, GraphCode>();
  readonly #folders = new Map<string, string>();
  readonly #stored = new Set<string>();

  constructor(store: EventStore) {
    this.#store = store;
  }

  register(graph: RegisteredGraph): void {
    this.#byName.set(graph.name, graph);
    this.#programs.set(graph.program.hash, graph.program);
    this.#code.set(graph.name, graph.code);
    if (graph.folder !== undefined) this.#folders.set(graph.program.hash, graph.folder);
    for (const [key, handler] of graph.handlers) this.#handlers.set(key, handler);
  }

  addHandler(key: string, handler: Handler): void {
    this.#handlers.set(key, handler);
  }

  handler(key: string): Handler | undefined {
    return this.#handlers.get(key);
  }

  /** Of a version that is only in the store: that of the graph of its name. */
  folderOf({ hash, definition }: Program): string | undefined {
    return this.#folders.get(hash) ?? this.#byName.get(definition.name)?.folder;
  }

  get names(): readonly string[] {
    return [...this.#byName.keys()];
  }

  named(name: string): RegisteredGraph {
    const graph = this.#byName.get(name);
    if (graph !== undefined) return graph;
    const known = this.names.join(', ');
    throw new SignalboxError('UnknownGraph', `There is no graph "${name}" here.`, {
      hint: known === '' ? 'No graph is registered.' : `Known are: ${known}.`,
    });
  }

  /**
   * The program of a version: the one in this process, else from the definition in the store.
   * @throws SignalboxError `UnknownVersion`, `HashMismatch`
   */
  async program(version: string): Promise<Program> {
    const known = this.#programs.get(version);
    if (known !== undefined) return known;
    const text = await this.#store.document('graph', version);
    if (text === undefined)
      throw new SignalboxError('UnknownVersion', `There is no graph version ${version} in the store.`, {
        details: { version },
      });
    const definition: unknown = JSON.parse(text);
    if (!isJsonObject(definition))
      throw new SignalboxError('UnknownVersion', `Graph version ${version} cannot be read.`);
    const graph = definition as unknown as GraphDefinition;
    const program = loadProgram(graph, this.#code.get(graph.name));
    assertStoredAs(version, program.hash, 'graph');
    this.#programs.set(version, program);
    return program;
  }

  /** The definition as a document to be stored with the first run of its version; undefined once it is there. */
  document(program: Program, at: number): (DocumentRow & { text: string }) | undefined {
    if (this.#stored.has(program.hash)) return undefined;
    const { definition, hash } = program;
    return { kind: 'graph', name: definition.name, hash, createdAt: at, text: JSON.stringify(definition) };
  }

  /** The same as a list, for a commit. */
  documents(program: Program, at: number): (DocumentRow & { text: string })[] {
    const document = this.document(program, at);
    return document === undefined ? [] : [document];
  }

  markStored(hash: string): void {
    this.#stored.add(hash);
  }
}
