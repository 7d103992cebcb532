import { isSignalboxError, type JsonValue, masked, parseStrictJson, type SensitiveParts } from '@signalbox/kernel';

/** The arguments as a value, and masked; those that cannot be read are sensitive as a whole. */
export function concealedOf(given: string, sensitive: SensitiveParts): [JsonValue, JsonValue?] {
  try {
    const args = parseStrictJson(given);
    return [args, masked(args, sensitive)];
  } catch (error) {
    if (!isSignalboxError(error)) throw error;
    return [given];
  }
}
