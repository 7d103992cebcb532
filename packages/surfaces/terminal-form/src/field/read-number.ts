import { isSignalboxError, parseStrictJson } from '@signalbox/kernel';

/** A number as JSON writes it; digits and marks of full width, as Chinese input methods write them, are read alike. */
export function readNumber(text: string): number | undefined {
  try {
    const value = parseStrictJson(text.normalize('NFKC').replaceAll('−', '-').trim());
    return typeof value === 'number' ? value : undefined;
  } catch (error) {
    if (isSignalboxError(error)) return undefined;
    throw error;
  }
}
