import type { GraphDefinition } from '@signalbox/kernel';
import { withoutConsequences } from './consequences.ts';
import { Conversion } from './conversion.ts';
import { GRAPH } from './graph-shape.ts';
import { type LocatedFault, locateFaults, type PlacedFault } from './located-fault.ts';
import type { NodeTypeRegistry } from './node-type-registry.ts';
import { otherDocument } from './other-document.ts';
import { parseSource, type TextFormat } from './parse-source.ts';
import { checkWithDoubts } from './perhaps-joins.ts';

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
  const other = otherDocument(source.root, 'graph');
  if (other !== undefined) return { faults: finish([...source.faults, other]) };

  const conversion = new Conversion(types, source.faults);
  const definition = GRAPH.read(source.root, '', conversion);
  if (definition === undefined) return { faults: finish(conversion.faults) };
  // The shapes read nothing that is not of the definition's own form, and stand in for what is missing.
  const graph = definition as unknown as GraphDefinition;
  const found = withoutConsequences(checkWithDoubts(graph, conversion), conversion);
  const faults = finish([...conversion.faults, ...found.map(fault => conversion.located(fault))]);
  const version = conversion.version === undefined ? {} : { version: conversion.version };
  return faults.some(fault => fault.severity === 'error')
    ? { ...version, faults }
    : { definition: graph, ...version, faults };
}
