import { checkDefinition, type Fault, type GraphDefinition } from '@signalbox/kernel';
import { Conversion } from './conversion.ts';
import { GRAPH } from './graph-shape.ts';
import { type LocatedFault, locateFaults, type PlacedFault } from './located-fault.ts';
import type { NodeTypeRegistry } from './node-type-registry.ts';
import { parseSource, type TextFormat } from './parse-source.ts';

export interface LoadGraphOptions {
  /** Named in faults; a name that ends in `.json` is read as JSON. */
  readonly file?: string;
  readonly format?: TextFormat;
  /** Node types that code provides, by name. */
  readonly types?: NodeTypeRegistry;
}

export interface LoadedGraph {
  /** Present when no fault is an error. */
  readonly definition?: GraphDefinition;
  /** The file's own `version:`, which is for people and no part of the definition. */
  readonly version?: string;
  /** All of them, warnings too, in the order of the text. */
  readonly faults: readonly LocatedFault[];
}

/**
 * Reads a graph from YAML 1.2 or JSON, in the present or an older form, and checks it. Never throws for what a text says:
 * everything wrong with it is told at once, each with line and column.
 */
export function loadGraph(text: string, options: LoadGraphOptions = {}): LoadedGraph {
  const { file, types = {} } = options;
  const format = options.format ?? (file?.toLowerCase().endsWith('.json') ? 'json' : 'yaml');
  const source = parseSource(text, format);
  const finish = (faults: readonly PlacedFault[]) => locateFaults(faults, text, file);
  if (source.root === undefined) return { faults: finish(source.faults) };

  const conversion = new Conversion(types);
  const definition = GRAPH.read(source.root, '', conversion);
  const told = [...source.faults, ...conversion.faults];
  if (definition === undefined) return { faults: finish(told) };
  // The shapes read nothing that is not of the definition's own form, and stand in for what is missing.
  const graph = definition as unknown as GraphDefinition;
  const found = checkDefinition(graph).filter(fault => !isConsequence(fault, conversion));
  const faults = finish([...told, ...found.map(fault => conversion.located(fault))]);
  const version = conversion.version === undefined ? {} : { version: conversion.version };
  return faults.some(fault => fault.severity === 'error')
    ? { ...version, faults }
    : { definition: graph, ...version, faults };
}

/** Faults that speak of which nodes close what, and so mean nothing where a node's type is not known. */
const OF_JOINS: ReadonlySet<string> = new Set([
  'ForkWithTwoJoins',
  'ForkWithoutJoin',
  'JoinOutOfReach',
  'JoinShared',
  'JoinWithoutFork',
  'RouteIntoScope',
  'RouteOutOfScope',
]);

/** Faults that speak of names, and so mean nothing where a node's own name could not be read. */
const OF_NODES: ReadonlySet<string> = new Set(['EntryMissing', 'UnknownGraph', 'UnknownNode']);

/** Faults that speak of what leads where, and so mean nothing where a route could not be read. */
const OF_ROUTES: ReadonlySet<string> = new Set([
  ...OF_JOINS,
  'FallbackCycle',
  'LoopWithoutExit',
  'NextWithoutRoute',
  'NoDefaultRoute',
  'RouteNeverTaken',
  'UnreachableNode',
  'UnusedGraph',
]);

function isConsequence(fault: Fault, conversion: Conversion): boolean {
  if (conversion.isBroken(fault.pointer)) return true;
  const nodesDoubted = conversion.isDoubted(fault.pointer, 'nodes');
  if (nodesDoubted && (OF_NODES.has(fault.code) || OF_ROUTES.has(fault.code))) return true;
  if (OF_ROUTES.has(fault.code) && conversion.isDoubted(fault.pointer, 'routes')) return true;
  return OF_JOINS.has(fault.code) && conversion.isDoubted(fault.pointer, 'joins');
}
