import { type Commit, type GraphDefinition, type JsonValue, type Run, versionHash } from '@signalbox/kernel';
import { sha256 } from '../log/commit-codec.ts';
import { payloadsOf } from '../log/payloads.ts';
import { isIntactKey } from '../sensitive/data-key.ts';
import {
  type Attachment,
  importInvalid,
  type ManifestDocument,
  outcomeAttachment,
  type RunManifest,
  readAttachment,
  readLine,
  readManifest,
} from './run-file.ts';
import { notACommit, type PayloadSource, StreamWalk } from './verify-stream.ts';

/** The lines of a run file, from the first, each time it is called: an import reads them twice. */
export type RunLines = () => Iterable<string> | AsyncIterable<string>;

/** One commit of a file with what stands before it for it. */
export interface FileCommit {
  readonly line: number;
  readonly text: string;
  readonly hash: string;
  readonly commit: Commit;
  readonly attachments: readonly Attachment[];
}

export interface CheckedRunFile {
  readonly manifest: RunManifest;
  /** What the commits fold to. */
  readonly run: Run;
  readonly definitions: ReadonlyMap<string, { readonly definition: GraphDefinition; readonly text: string }>;
}

export interface ReadOptions {
  readonly maxLineBytes?: number;
}

/** The manifest, then every commit. Checks the shape of each line, and that a commit has exactly the attachments it needs. */
export async function* readRunFile(
  lines: RunLines,
  { maxLineBytes }: ReadOptions = {},
): AsyncGenerator<RunManifest | FileCommit> {
  let line = 0;
  let attachments: Attachment[] = [];
  for await (const text of lines()) {
    line += 1;
    if (line === 1) {
      yield readManifest(text);
      continue;
    }
    const value = readLine(text, line, maxLineBytes);
    const attachment = readAttachment(value, text);
    if (attachment === undefined) {
      yield readFileCommit(value, text, line, attachments);
      attachments = [];
    } else attachments.push(checkedAttachment(attachment, line));
  }
  if (line === 0) throw importInvalid(1, 'there is no line');
  if (attachments.length > 0) throw importInvalid(line, 'the commit that it belongs to is missing');
}

export function isManifest(entry: RunManifest | FileCommit): entry is RunManifest {
  return 'format' in entry;
}

function checkedAttachment(attachment: Attachment, line: number): Attachment {
  // Which of them are keys is known with their commit.
  if ('text' in attachment && !isIntactKey({ digest: attachment.payload, text: attachment.text }))
    throw importInvalid(line, 'the payload does not match its digest');
  if ('command' in attachment && outcomeDigest(attachment) !== attachment.digest)
    throw importInvalid(line, 'the outcome does not match its digest');
  return attachment;
}

function outcomeDigest({ command, outcome }: Extract<Attachment, { command: string }>): string {
  const made = outcomeAttachment(command, outcome);
  return 'digest' in made ? made.digest : '';
}

function readFileCommit(value: JsonValue, text: string, line: number, attachments: readonly Attachment[]): FileCommit {
  const fault = notACommit(value);
  if (fault !== undefined) throw importInvalid(line, `${fault}, so it is no commit`);
  const commit = value as unknown as Commit;
  const needed = [
    ...[...new Set(payloadsOf(commit))].map(digest => `payload ${digest}`),
    ...(commit.commands ?? []).map(id => `command ${id}`),
  ];
  const given = attachments.map(attachment => {
    if ('command' in attachment) return `command ${attachment.command}`;
    return `payload ${'erased' in attachment ? attachment.erased : attachment.payload}`;
  });
  const index = needed.findIndex((name, at) => name !== given[at]);
  if (index >= 0) throw importInvalid(line, `the line for ${needed[index]} is not before it`);
  if (given.length > needed.length) throw importInvalid(line, `it does not refer to ${given[needed.length]}`);
  return { line, text, hash: sha256(text), commit, attachments };
}

/**
 * Reads a whole file and proves it: seal, chain, head, payloads, definitions, and that its events fold to a run.
 *
 * @throws SignalboxError `ImportInvalid` with the number of the first line that is not as it was exported.
 */
export async function checkRunFile(lines: RunLines, options: ReadOptions = {}): Promise<CheckedRunFile> {
  let manifest: RunManifest | undefined;
  let payloads: readonly Attachment[] = [];
  let walk: StreamWalk | undefined;
  let count = 0;
  let last = 1;
  for await (const entry of readRunFile(lines, options)) {
    if (isManifest(entry)) {
      manifest = entry;
      walk = new StreamWalk(
        payloadsIn(() => payloads),
        entry.runId,
      );
      continue;
    }
    payloads = entry.attachments;
    last = entry.line;
    count += entry.attachments.filter(attachment => !('command' in attachment)).length;
    await checkCommit(walk!, entry);
  }
  const { head, commits } = walk!.report();
  const run = walk!.run;
  if (manifest === undefined || run === undefined || head === undefined)
    throw importInvalid(last, 'the history is missing');
  if (head.seq !== manifest.head.seq || head.hash !== manifest.head.hash)
    throw importInvalid(
      last,
      `the history ends at ${head.seq} with another hash than the manifest tells (${manifest.head.seq})`,
    );
  const { tenant, graph, version, semantics } = run;
  if (
    commits !== manifest.commits ||
    count !== manifest.payloads ||
    tenant !== manifest.tenant ||
    graph !== manifest.graph ||
    version !== manifest.version ||
    semantics !== manifest.semantics
  )
    throw importInvalid(1, 'the manifest is of another history');
  return { manifest, run, definitions: checkedDocuments(manifest.documents) };
}

async function checkCommit(walk: StreamWalk, { line, text, hash, commit }: FileCommit): Promise<void> {
  const { stream, firstSeq, events } = commit;
  if (await walk.check({ stream, firstSeq, lastSeq: firstSeq + events.length - 1, sealed: { text, hash } })) return;
  const { seq, code, reason } = walk.report().firstBad!;
  throw importInvalid(line, `${code} at ${seq}: ${reason}`);
}

function payloadsIn(attachments: () => readonly Attachment[]): PayloadSource {
  return {
    payload: async (_tenant, digest) => {
      for (const attachment of attachments())
        if ('text' in attachment && attachment.payload === digest) return attachment.text;
      return undefined;
    },
    payloadErased: async (_tenant, digest) =>
      attachments().some(attachment => 'erased' in attachment && attachment.erased === digest),
  };
}

function checkedDocuments(documents: readonly ManifestDocument[]): CheckedRunFile['definitions'] {
  const definitions = new Map<string, { definition: GraphDefinition; text: string }>();
  for (const document of documents) {
    const text = document.text ?? JSON.stringify(document.definition);
    const definition = (document.definition ?? readLine(text, 1)) as unknown as GraphDefinition;
    if (hashOf(definition) !== document.hash || definition.name !== document.name)
      throw importInvalid(1, `definition ${document.name} does not match its version hash`);
    definitions.set(document.hash, { definition, text });
  }
  return definitions;
}

/** Of something that is no definition at all there is no hash. */
function hashOf(definition: GraphDefinition): string | undefined {
  try {
    return versionHash(definition);
  } catch {
    return undefined;
  }
}
