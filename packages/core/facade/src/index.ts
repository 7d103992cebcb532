export { type ExportGraphOptions, exportGraph } from './loader/export-graph.ts';
export { graphSchema } from './loader/graph-schema.ts';
export { type LoadedGraph, type LoadGraphOptions, loadGraph } from './loader/load-graph.ts';
export type { LocatedFault } from './loader/located-fault.ts';
export type { NodeTypeDeclaration, NodeTypeRegistry } from './loader/node-type-registry.ts';
export type { TextFormat } from './loader/parse-source.ts';
