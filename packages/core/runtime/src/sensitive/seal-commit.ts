import type { Commit, JsonObject, JsonValue, Program, RunEvent, StoredEvent } from '@signalbox/kernel';
import type { KeyRing } from '@signalbox/ports';
import { sha256 } from '../log/commit-codec.ts';
import type { Payload } from '../log/payload.ts';
import { createDataKey, type DataKey, KEY_PLACE } from './data-key.ts';
import { hasMarks, maskedByMarks } from './marks.ts';
import { type Opening, sealValue } from './opening.ts';
import { Secrets } from './secrets.ts';

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
  readonly #ring: KeyRing;
  #key: DataKey | undefined;
  #isUsed: boolean;

  constructor(ring: KeyRing, opening?: Pick<Opening, 'secrets' | 'key'>) {
    this.#ring = ring;
    this.secrets = opening?.secrets ?? new Secrets();
    this.#key = opening?.key;
    this.#isUsed = !this.secrets.isEmpty;
  }

  /** Something of the run is or was sensitive: its fold holds what no view and no snapshot may. */
  get isUsed(): boolean {
    return this.#isUsed;
  }

  get key(): DataKey | undefined {
    return this.#key;
  }

  /** The commit as it is to be stored; undefined where nothing of it is sensitive. @throws SignalboxError `KeyMissing` */
  sealed(commit: Commit, program: Program, tenant: string, salt: () => string): SealedCommit | undefined {
    const shown = this.#shown(commit.events, program);
    if (shown === commit.events) return undefined;
    this.#isUsed = true;
    const payloads: Payload[] = [];
    const key = this.#keyFor(commit, tenant, salt, payloads);
    const refs: Record<string, string> = { [KEY_PLACE]: key.digest };
    const seal = (value: JsonValue, masked: JsonValue, place: string): JsonValue => {
      const text = `${salt()}.${JSON.stringify(sealValue(key, masked, value, this.secrets.takeNews()))}`;
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
    if (this.secrets.isEmpty && !hasMarks(program) && !events.some(isOfQuestion)) return events;
    const byMarks = events.map(event => maskedByMarks(program, this.secrets, event as unknown as RunEvent));
    for (const [index, data] of byMarks.entries()) this.secrets.learn(events[index]!.data, data);
    if (this.secrets.isEmpty) return events;
    const shown = events.map((event, index) => withData(event, this.#masked(event.data, byMarks[index]!)));
    return shown.some((event, index) => event !== events[index]) ? shown : events;
  }

  #masked(data: JsonObject, byMarks: JsonObject): JsonObject {
    const changed: Record<string, JsonValue> = {};
    for (const [key, value] of Object.entries(byMarks)) {
      const masked = isFoldedBy(key, value) ? value : this.secrets.masked(value, key);
      if (masked !== data[key]) changed[key] = masked;
    }
    return Object.keys(changed).length === 0 ? data : { ...data, ...changed };
  }

  #keyFor({ events }: Commit, tenant: string, salt: () => string, payloads: Payload[]): DataKey {
    if (events.some(({ type, data }) => type === 'payload.erased' && data.digest === this.#key?.digest))
      this.#key = undefined;
    if (this.#key !== undefined) return this.#key;
    const { key, payload } = createDataKey(this.#ring, tenant, salt());
    payloads.push(payload);
    this.#key = key;
    return key;
  }
}

/** A handler may ask for what the program says nothing of. */
function isOfQuestion({ type }: StoredEvent): boolean {
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
  ],
  ...['tool', 'call', 'contract', 'contracts', 'verdict', 'on', 'off', 'wait', 'first', 'parent', 'effects', 'step'],
]);
