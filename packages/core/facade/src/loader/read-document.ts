import type { JsonValue } from '@signalbox/kernel';
import { Conversion } from './conversion.ts';
import { readJson } from './json-shape.ts';
import { type LocatedFault, locateFaults } from './located-fault.ts';
import { parseSource, type TextFormat } from './parse-source.ts';

export interface ReadDocumentOptions {
  /** Named in faults; a name that ends in `.json` is read as JSON. */
  readonly file?: string;
  readonly format?: TextFormat;
}

export interface ReadDocument {
  /** Present when there is no fault. */
  readonly value?: JsonValue;
  readonly faults: readonly LocatedFault[];
}

/** Reads data from YAML 1.2 or JSON as strictly as a graph: no key twice, no alias, no number that a double cannot hold. */
export function readDocument(text: string, { file, format }: ReadDocumentOptions = {}): ReadDocument {
  const source = parseSource(text, format ?? (file?.toLowerCase().endsWith('.json') ? 'json' : 'yaml'));
  const conversion = new Conversion({}, source.faults);
  const value = source.root === undefined ? undefined : readJson(source.root, '', conversion);
  const faults = locateFaults(conversion.faults, text, file);
  return value === undefined || faults.length > 0 ? { faults } : { value, faults };
}
