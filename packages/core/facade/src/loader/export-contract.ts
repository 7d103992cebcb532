import { type ContractDefinition, contractDocument } from '@signalbox/kernel';
import type { TextFormat } from './parse-source.ts';
import { writeText } from './write-text.ts';

/**
 * The text of a contract: what `loadContract` reads from it is that contract again, hence the same hash. What it extended
 * is worked in.
 */
export function exportContract(definition: ContractDefinition, format: TextFormat): string {
  return writeText(contractDocument(definition), format);
}
