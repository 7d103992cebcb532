export { isSignalboxError, SignalboxError } from './error/error.ts';
export { type Fault, pointerTo } from './error/fault.ts';
export type { Commit, Principal, StoredEvent } from './event/commit.ts';
export { DANGEROUS_KEYS, hasKey, isJsonObject, type JsonObject, type JsonValue } from './json/value.ts';
