import {
  type Commit,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Program,
  type RunEvent,
  type StoredEvent,
} from '@signalbox/kernel';
import type { KeyRing } from '@signalbox/ports';
import { sha256 } from '../log/commit-codec.ts';
import type { Payload } from '../log/payload.ts';
import { createDataKey, type DataKey, KEY_PLACE } from './data-key.ts';
import { keyedDigest } from './keyed-digest.ts';
import { hasMarks } from './marks.ts';
import { maskedByMarks } from './mask-by-marks.ts';
import { type Opening, sealValue } from './opening.ts';
import { Secrets } from './secrets.ts';
import { awaitsSensitive } from './signal-schemas.ts';
import { withoutWorkings } from './workings.ts';

/** Whose commits are sealed, and what with. */
export interface SealOf {
  readonly ring: KeyRing;
  readonly tenant: () => string;
  readonly salt: () => string;
}

export interface SealedCommit {
  /** With references in place of what is sensitive. */
  readonly commit: Commit;
  readonly payloads: readonly Payload[];
  /** The events as whoever looks sees them. */
  readonly shown: readonly StoredEvent[];
}

/**
 * Seals what is sensitive in the commits of one run.
 *  1. What is known to be sensitive is sealed wherever it turns up: an event's member that holds any of it goes to a
 *     payload as a whole, masked and encrypted. What the kernel folds by (names, ids, statuses) is left alone.
 *  2. The run's key is made with the first sealed value; each commit that seals names its key.
 */
export class Seal {
  readonly secrets: Secrets;
  readonly #of: SealOf;
  #key: DataKey | undefined;
  /** The key, as long as no commit has named it. */
  #unnamed: Payload | undefined;
  #isUsed: boolean;

  constructor(of: SealOf, opening?: Pick<Opening, 'secrets' | 'key'>) {
    this.#of = of;
    this.secrets = opening?.secrets ?? new Secrets();
    this.secrets.keyedBy(digest => keyedDigest(this.#presentKey(), digest));
    this.#key = opening?.key;
    this.#isUsed = !this.secrets.isEmpty || this.#key !== undefined;
  }

  /** Something of the run is or was sensitive: its fold holds what no view and no snapshot may. */
  get isUsed(): boolean {
    return this.#isUsed;
  }

  get key(): DataKey | undefined {
    return this.#key;
  }

  /** Whether anything of the run is sensitive, or may be. */
  mayHold(program: Program): boolean {
    return !this.secrets.isEmpty || hasMarks(program) || this.secrets.areAsked || !this.secrets.signals.isEmpty;
  }

  /**
   * The commit as it is to be stored; undefined where nothing of it is sensitive, and no key is to be named.
   * @throws SignalboxError `KeyMissing`
   */
  sealed(commit: Commit, program: Program): SealedCommit | undefined {
    this.#dropKey(commit);
    const shown = this.#shown(commit.events, program);
    if (shown === commit.events && this.#unnamed === undefined) return undefined;
    this.#isUsed = true;
    const key = this.#presentKey();
    const payloads: Payload[] = this.#unnamed === undefined ? [] : [this.#unnamed];
    this.#unnamed = undefined;
    const refs: Record<string, string> = { [KEY_PLACE]: key.digest };
    const seal = (value: JsonValue, masked: JsonValue, place: string): JsonValue => {
      const text = `${this.#of.salt()}.${JSON.stringify(sealValue(key, masked, value, this.secrets.takeNews()))}`;
      const digest = sha256(text);
      payloads.push({ digest, text });
      refs[place] = digest;
      return { $ref: 'sealed', digest };
    };
    const events = commit.events.map((event, index) => ({
      ...event,
      data: sealMembers(event.data, shown[index]!.data, `${index}`, seal),
    }));
    const { events: _clear, ...head } = commit;
    return { commit: { ...head, refs, events }, payloads, shown };
  }

  /** What is marked is learned of all events first, so that it is masked in those before it as well. */
  #shown(events: readonly StoredEvent[], program: Program): readonly StoredEvent[] {
    if (!this.mayHold(program) && !events.some(marksByItself)) return events;
    const byMarks = events.map(event => maskedByMarks(program, this.secrets, event as unknown as RunEvent));
    for (const [index, data] of byMarks.entries()) this.secrets.learn(events[index]!.data, data);
    for (const [index, data] of byMarks.entries()) learnDigests(this.secrets, events[index]!, data);
    const shown = events.map((event, index) => withData(event, this.#masked(event, byMarks[index]!, program)));
    return shown.some((event, index) => event !== events[index]) ? shown : events;
  }

  #masked(event: StoredEvent, byMarks: JsonObject, program: Program): JsonObject {
    const { data } = event;
    const changed: Record<string, JsonValue> = {};
    const known = withoutWorkings(program, this.secrets, event as unknown as RunEvent, byMarks);
    for (const [key, value] of Object.entries(known)) {
      const masked = isFoldedBy(key, value) ? this.#shownName(key, value) : this.secrets.masked(value, key);
      if (masked !== data[key]) changed[key] = masked;
    }
    return Object.keys(changed).length === 0 ? data : { ...data, ...changed };
  }

  #shownName(key: string, value: JsonValue): JsonValue {
    return DIGESTS.has(key) && typeof value === 'string' ? this.secrets.shownDigest(value) : value;
  }

  #dropKey({ events }: Commit): void {
    if (events.some(({ type, data }) => type === 'payload.erased' && data.digest === this.#key?.digest))
      this.#key = undefined;
  }

  #presentKey(): DataKey {
    if (this.#key !== undefined) return this.#key;
    const { key, payload } = createDataKey(this.#of.ring, this.#of.tenant(), this.#of.salt());
    this.#unnamed = payload;
    this.#key = key;
    return key;
  }
}

/** Digests that the kernel makes of what is sensitive; those that the shell makes are learned where they are made. */
function learnDigests(secrets: Secrets, { type, data }: StoredEvent, byMarks: JsonObject): void {
  if (type === 'request.opened' && typeof data.subject === 'string') {
    const [filled, definition] = [data.filled, data.definition];
    const of = isJsonObject(filled) ? filled.subject : undefined;
    secrets.learnDigestOf(of ?? (isJsonObject(definition) ? definition.subject : undefined), data.subject);
  }
  if ((type === 'request.answered' || type === 'request.endorsed') && typeof data.digest === 'string') {
    if (byMarks !== data) secrets.learnDigest(data.digest);
    else secrets.learnDigestOf({ values: data.values ?? null, note: data.note ?? null }, data.digest);
  }
}

/** A handler may ask, and wait, for what the program says nothing of. */
function marksByItself({ type, data }: StoredEvent): boolean {
  if (type === 'op.intended') return awaitsSensitive(data);
  return type.startsWith('request.') || type === 'episode.started';
}

function withData(event: StoredEvent, data: JsonObject): StoredEvent {
  return data === event.data ? event : { ...event, data };
}

/** Values inside `state.changed` are sealed one by one, so that each can be erased alone. */
function sealMembers(
  data: JsonObject,
  shown: JsonObject,
  place: string,
  seal: (value: JsonValue, masked: JsonValue, place: string) => JsonValue,
): JsonObject {
  if (data === shown) return data;
  const sealed: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(data)) {
    const masked = shown[key]!;
    if (masked === value) sealed[key] = value;
    else if (key === 'changes')
      sealed[key] = sealChanges(
        value as readonly JsonObject[],
        masked as readonly JsonObject[],
        `${place}/${key}`,
        seal,
      );
    else sealed[key] = seal(value, masked, `${place}/${key}`);
  }
  return sealed;
}

function sealChanges(
  changes: readonly JsonObject[],
  shown: readonly JsonObject[],
  place: string,
  seal: (value: JsonValue, masked: JsonValue, place: string) => JsonValue,
): JsonObject[] {
  return changes.map((change, at) => {
    const [value, masked] = [change.value ?? null, shown[at]!.value ?? null];
    return value === masked ? change : { ...change, value: seal(value, masked, `${place}/${at}/value`) };
  });
}

/** The record of a model's request has the name that elsewhere is an id's. */
function isFoldedBy(key: string, value: JsonValue): boolean {
  return FOLDED_BY.has(key) && !(key === 'request' && typeof value !== 'string');
}

/** Of these, the digests that may be of something sensitive. */
const DIGESTS: ReadonlySet<string> = new Set(['digest', 'subject']);

/** What the fold and the rows go by, and what whoever looks finds their way by. */
const FOLDED_BY: ReadonlySet<string> = new Set([
  ...['runId', 'tenant', 'graph', 'version', 'label', 'entry', 'zone', 'semantics', 'requestId', 'session', 'key'],
  ...['by', 'token', 'node', 'visit', 'attempt', 'op', 'kind', 'digest', 'class', 'request', 'action', 'at', 'due'],
  ...['scope', 'from', 'to', 'tokens', 'ops', 'adopt', 'status', 'outcome', 'route', 'leads', 'limit', 'account'],
  ...['accounts', 'amounts', 'reserve', 'reserved', 'owner', 'term', 'build', 'timer', 'assignees', 'deadline'],
  ...[
    'reminders',
    'endorsedBy',
    'mapping',
    'entries',
    'share',
    'size',
    'index',
    'as',
    'name',
    'about',
    'subject',
    'hold',
    'grants',
    'idle',
  ],
  ...['tool', 'call', 'contract', 'contracts', 'verdict', 'on', 'off', 'wait', 'first', 'parent', 'effects', 'step'],
]);
