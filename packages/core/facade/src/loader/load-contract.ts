import {
  type ContractDefinition,
  type Fault,
  type JsonValue,
  pointerTo,
  type ReadContractOptions,
  readContract,
} from '@signalbox/kernel';
import { Conversion } from './conversion.ts';
import { checkTextValues, readJson } from './json-shape.ts';
import { type LocatedFault, locateFaults } from './located-fault.ts';
import { toCamelCase } from './object-shape.ts';
import { otherDocument } from './other-document.ts';
import { parseSource, type TextFormat } from './parse-source.ts';
import type { SourceNode } from './source-node.ts';

export interface LoadContractOptions extends ReadContractOptions {
  /** Named in faults; a name that ends in `.json` is read as JSON. */
  readonly file?: string;
  readonly format?: TextFormat;
}

export interface LoadedContract {
  /** Present when no fault is an error. */
  readonly definition?: ContractDefinition;
  /** The contract that it extends, as it is written. */
  readonly extends?: string;
  /** All of them, warnings too, in the order of the text. */
  readonly faults: readonly LocatedFault[];
}

/**
 * Reads a capability contract from YAML 1.2 or JSON and checks it. Never throws for what a text says: everything wrong
 * with it is told at once, each with line and column.
 */
export function loadContract(text: string, options: LoadContractOptions = {}): LoadedContract {
  const { file } = options;
  const format = options.format ?? (file?.toLowerCase().endsWith('.json') ? 'json' : 'yaml');
  const source = parseSource(text, format);
  if (source.root === undefined) return { faults: locateFaults(source.faults, text, file) };
  const other = otherDocument(source.root, 'contract');
  if (other !== undefined) return { faults: locateFaults([...source.faults, other], text, file) };

  const conversion = new Conversion({}, source.faults);
  checkSchemas(source.root, '', conversion);
  const document = readJson(source.root, '', conversion) ?? null;
  const { definition, faults: found } = readContract(document, options);
  const told = found.filter(fault => !isConsequence(fault, conversion)).map(fault => conversion.located(fault));
  const faults = locateFaults([...conversion.faults, ...told], text, file);
  const base = extendsOf(document);
  const loaded = { ...(base === undefined ? {} : { extends: base }), faults };
  return definition === undefined || faults.some(({ severity }) => severity === 'error')
    ? loaded
    : { definition, ...loaded };
}

const SCHEMAS: ReadonlySet<string> = new Set(['inputSchema', 'outputSchema']);

/** In a schema YAML may have taken for a number what is named as a text. */
function checkSchemas(node: SourceNode, pointer: string, conversion: Conversion): void {
  if (node.kind === 'list') {
    for (const [index, item] of node.items.entries()) checkSchemas(item, pointerTo(pointer, index), conversion);
  }
  if (node.kind !== 'map') return;
  for (const { key, value } of node.entries) {
    const place = pointerTo(pointer, key);
    if (SCHEMAS.has(toCamelCase(key))) checkTextValues(value, place, conversion);
    else checkSchemas(value, place, conversion);
  }
}

const OF_MISSING: ReadonlySet<string> = new Set(['MissingKey', 'NoInputSchema']);

/** What only follows from a part that could not be read is told when that is mended, if it is then still there. */
function isConsequence({ code, pointer }: Fault, conversion: Conversion): boolean {
  return conversion.isBroken(pointer) || (OF_MISSING.has(code) && conversion.hasFaultBelow(pointer));
}

function extendsOf(document: JsonValue): string | undefined {
  const base = (document as { readonly extends?: JsonValue } | null)?.extends;
  return typeof base === 'string' ? base : undefined;
}
