import {
  type Fault,
  fromStandardSchema,
  type GraphCode,
  type GraphDefinition,
  isSignalboxError,
  type JsonObject,
  pointerTo,
  type Validator,
} from '@signalbox/kernel';
import { senderSchema } from '@signalbox/runtime';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Graph } from './graph.ts';
import type { Handler } from './handler.ts';

type Predicate = (bindings: Readonly<Record<string, unknown>>) => boolean;

/**
 * What a graph is put together from while it is built: code beside the data, and the faults found on the way.
 * Nothing here throws; what cannot be used is told and left out, so that all faults appear together.
 */
export class Assembly {
  readonly graph: string;
  readonly faults: Fault[] = [];
  readonly handlers = new Map<string, Handler>();
  readonly validators = new Map<string, Validator>();
  readonly predicates = new Map<string, Predicate>();
  readonly graphs = new Map<string, Graph>();

  constructor(graph: string) {
    this.graph = graph;
  }

  get code(): GraphCode {
    return { validators: this.validators, predicates: this.predicates };
  }

  /** The graphs by name, as the definition holds them. */
  get inner(): Readonly<Record<string, GraphDefinition>> {
    return Object.fromEntries([...this.graphs].map(([name, { definition }]) => [name, definition]));
  }

  fault(code: string, pointer: string, message: string, hint?: string): void {
    this.faults.push({ code, severity: 'error', pointer, message, ...(hint === undefined ? {} : { hint }) });
  }

  /** The JSON Schema of a schema of any library, whose validator is kept for the place. */
  json(schema: StandardSchemaV1, pointer: string): JsonObject | undefined {
    const validator = this.validator(schema, pointer);
    if (validator === undefined) return undefined;
    this.validators.set(pointer, validator);
    return writtenSchema(validator);
  }

  /** As {@link json}, of what is sent from outside: it takes no key that the schema would drop. */
  sent(schema: StandardSchemaV1, pointer: string): JsonObject | undefined {
    const validator = this.validator(schema, pointer);
    if (validator === undefined) return undefined;
    this.validators.set(pointer, validator);
    return writtenSchema({ json: senderSchema(validator) });
  }

  validator(schema: StandardSchemaV1, pointer: string): Validator | undefined {
    try {
      return fromStandardSchema(schema);
    } catch (error) {
      if (!isSignalboxError(error)) throw error;
      this.fault(error.code, pointer, error.message, error.hint);
      return undefined;
    }
  }

  handler(key: string, handler: Handler, pointer: string): string {
    const known = this.handlers.get(key);
    if (known === undefined) this.handlers.set(key, handler);
    else if (known !== handler) {
      const hint = 'Give the types or graphs different names, or raise `rev`.';
      this.fault('DuplicateHandler', pointer, `Two different handlers have the key \`${key}\`.`, hint);
    }
    return key;
  }

  predicate(key: string, predicate: Predicate, pointer: string): string {
    const known = this.predicates.get(key);
    if (known === undefined) this.predicates.set(key, predicate);
    else if (known !== predicate) {
      const hint = 'Two graphs have one name, which the key begins with: give them different ones.';
      this.fault('DuplicateHandler', pointer, `Two different guards have the key \`${key}\`.`, hint);
    }
    return key;
  }

  /** Takes in a graph that a node runs, with its code; gives the name under which the definition holds it. */
  subgraph(graph: Graph, pointer: string): string {
    const known = this.graphs.get(graph.name);
    if (known === graph) return graph.name;
    if (known !== undefined) {
      this.fault('DuplicateGraph', pointer, `Two different graphs are named \`${graph.name}\`.`, 'Rename one of them.');
      return graph.name;
    }
    this.graphs.set(graph.name, graph);
    for (const [key, handler] of graph.handlers) this.handler(key, handler, pointer);
    for (const [key, predicate] of graph.code.predicates ?? []) this.predicate(key, predicate, pointer);
    const base = pointerTo('/graphs', graph.name);
    for (const [place, validator] of graph.code.validators ?? []) this.validators.set(base + place, validator);
    return graph.name;
  }
}

/** As a definition holds it: every schema there is of one dialect, which need not be named. */
export function writtenSchema({ json: { $schema: _dialect, ...schema } }: Pick<Validator, 'json'>): JsonObject {
  return schema;
}
