import type { JsonObject } from '@signalbox/kernel';

/** What a graph file needs to know of a node type that code provides. */
export interface NodeTypeDeclaration {
  /** Raised by its author when runs that began with the older code must not meet the new; default 1. */
  readonly rev?: number;
  /** JSON Schema of the output; a node's own `output` goes before it. */
  readonly output?: JsonObject;
  /** JSON Schema of `with`. */
  readonly with?: JsonObject;
  readonly description?: string;
}

/** By the name that stands under `type`. */
export type NodeTypeRegistry = Readonly<Record<string, NodeTypeDeclaration>>;
