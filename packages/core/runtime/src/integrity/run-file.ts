import {
  isJsonObject,
  isSignalboxError,
  type JsonObject,
  type JsonValue,
  parseStrictJson,
  SignalboxError,
} from '@signalbox/kernel';
import { sha256 } from '../log/commit-codec.ts';

/**
 * A run as a file of lines (JSONL, UTF-8, every line ended by one LF):
 *  1. the manifest, which names the run, holds the definitions of its versions and the head of its chain, and is sealed by
 *     its own digest as its last member;
 *  2. every commit as its stored text, byte for byte;
 *  3. right before a commit, what it refers to that is not in it, in this order: payloads (`{ payload, text }`, or
 *     `{ erased }`), then the outcomes of its commands (`{ command, outcome, digest }`; outcome null where none is kept).
 * So every byte is covered: a commit by the hash in the one after it, the last by the head in the manifest.
 */
export const RUN_FILE_FORMAT = 'signalbox-run';
export const RUN_FILE_VERSION = 1;

export interface RunManifest {
  readonly format: typeof RUN_FILE_FORMAT;
  readonly formatVersion: typeof RUN_FILE_VERSION;
  readonly runId: string;
  readonly tenant: string;
  readonly graph: string;
  /** Version hash the run is on at its end. */
  readonly version: string;
  readonly semantics: number;
  readonly head: { readonly seq: number; readonly hash: string };
  readonly commits: number;
  /** Payload lines, erased ones included. */
  readonly payloads: number;
  /** Definitions of the versions the run has been on, as far as the store has them, in that order. */
  readonly documents: readonly ManifestDocument[];
  /** RFC 3339 UTC; given by who exports. */
  readonly madeAt: string;
}

export interface ManifestDocument {
  readonly kind: 'graph';
  readonly name: string;
  readonly hash: string;
  /** The definition, where writing it again gives its stored text; else that text. */
  readonly definition?: JsonObject;
  readonly text?: string;
}

export type Attachment =
  | { readonly payload: string; readonly text: string }
  | { readonly erased: string }
  | { readonly command: string; readonly outcome: string | null; readonly digest: string };

/** How large a line may be, and how deep its values may nest: a value's own 64 levels lie inside commit, event and data. */
export const LINE_LIMITS = { maxBytes: 64 * 1024 * 1024, maxDepth: 256 } as const;

const SEAL = /^(.*),"seal":"([0-9a-f]{64})"\}$/;

export function manifestLine(manifest: RunManifest): string {
  const text = JSON.stringify(manifest).slice(0, -1);
  return `${text},"seal":"${sha256(text)}"}`;
}

/** @throws SignalboxError `ImportInvalid` */
export function readManifest(line: string): RunManifest {
  const [, text, seal] = SEAL.exec(line) ?? [];
  if (text === undefined) throw importInvalid(1, 'it is no manifest of an exported run');
  if (sha256(text) !== seal) throw importInvalid(1, 'the manifest does not match its seal');
  const value = readLine(line, 1);
  if (!isJsonObject(value) || value.format !== RUN_FILE_FORMAT)
    throw importInvalid(1, 'it is no manifest of an exported run');
  if (value.formatVersion !== RUN_FILE_VERSION)
    throw importInvalid(
      1,
      `it is of format version ${String(value.formatVersion)}, and ${RUN_FILE_VERSION} is read here`,
    );
  const { seal: _seal, ...manifest } = value;
  if (!isManifest(manifest)) throw importInvalid(1, 'the manifest lacks something');
  return manifest as unknown as RunManifest;
}

function isManifest({ runId, tenant, graph, version, head, commits, documents }: JsonObject): boolean {
  return (
    [runId, tenant, graph, version].every(text => typeof text === 'string') &&
    isJsonObject(head) &&
    Number.isInteger(head.seq) &&
    typeof head.hash === 'string' &&
    Number.isInteger(commits) &&
    Array.isArray(documents) &&
    documents.every(isDocument)
  );
}

function isDocument(value: JsonValue): boolean {
  if (!isJsonObject(value)) return false;
  const { kind, name, hash, definition, text } = value;
  return (
    kind === 'graph' &&
    typeof name === 'string' &&
    typeof hash === 'string' &&
    (typeof text === 'string' ? definition === undefined : isJsonObject(definition))
  );
}

/** One line through the strict reader. @throws SignalboxError `ImportInvalid` with the line's number. */
export function readLine(line: string, number: number, maxBytes: number = LINE_LIMITS.maxBytes): JsonValue {
  try {
    return parseStrictJson(line, { ...LINE_LIMITS, maxBytes });
  } catch (error) {
    if (!isSignalboxError(error)) throw error;
    throw importInvalid(number, error.message.replace(/ at line \d+, column/, ' at column'));
  }
}

/** What a line holds if it is an attachment, written as this version writes it; undefined if it is something else. */
export function readAttachment(value: JsonValue, line: string): Attachment | undefined {
  if (!isJsonObject(value) || JSON.stringify(value) !== line) return undefined;
  const { payload, text, erased, command, outcome, digest } = value;
  const exactly = (...names: string[]) => Object.keys(value).join() === names.join();
  if (exactly('payload', 'text') && typeof payload === 'string' && typeof text === 'string') return { payload, text };
  if (exactly('erased') && typeof erased === 'string') return { erased };
  if (!exactly('command', 'outcome', 'digest') || typeof command !== 'string' || typeof digest !== 'string')
    return undefined;
  return typeof outcome === 'string' || outcome === null ? { command, outcome, digest } : undefined;
}

export function outcomeAttachment(command: string, outcome: string | null): Attachment {
  return { command, outcome, digest: sha256(JSON.stringify([command, outcome])) };
}

export function importInvalid(line: number, reason: string): SignalboxError {
  return new SignalboxError('ImportInvalid', `Line ${line} cannot be imported: ${reason}.`, {
    hint: 'Nothing was imported. Export the run anew, or take a copy of the file that was not changed on its way.',
    details: { line, reason },
  });
}
