import {
  assertJsonValue,
  type JsonObject,
  type JsonValue,
  type MessageRole,
  type Principal,
  SignalboxError,
} from '@signalbox/kernel';
import type { Engine } from '../engine/engine.ts';
import type { SessionEvent } from './session-event.ts';
import { assertSessionId, newSessionId, type SessionPlace } from './session-id.ts';
import type { SessionRecord } from './session-record.ts';

export interface OpenSession {
  /** `ses_` and up to 60 letters, digits and hyphens; made by default. */
  readonly id?: string;
  readonly tenant?: string;
  /** For whom it is. */
  readonly user?: string;
  readonly metadata?: JsonObject;
  /** Runs that may execute at once; default 1. */
  readonly places?: number;
}

/** Begins a session; one of that id that has begun stays as it is. Returns its id. @throws SignalboxError `InvalidMetadata` */
export async function openSession(engine: Engine, options: OpenSession, by: Principal): Promise<string> {
  const { id = newSessionId(engine.ids.uuid()), tenant = 'default', user, metadata, places } = options;
  assertSessionId(id);
  assertJsonValue({ metadata, places, user }, 'The session');
  await engine.sessions.current(id, tenant);
  const opened = (): SessionEvent => {
    const valid =
      metadata === undefined && engine.sessionMetadata === undefined
        ? undefined
        : validMetadata(engine, metadata ?? {});
    return {
      type: 'session.opened',
      data: {
        tenant,
        ...(user === undefined ? {} : { user }),
        ...(valid === undefined ? {} : { metadata: valid }),
        ...(places === undefined ? {} : { places: Math.max(1, Math.trunc(places)) }),
      },
    };
  };
  await engine.sessions.writer(id).write((_record, seq) => (seq === 0 ? [opened()] : []), by);
  await engine.sessions.current(id, tenant);
  return id;
}

/** What came out of the box's schema, where it has one. @throws SignalboxError `InvalidMetadata` */
function validMetadata({ sessionMetadata: schema }: Engine, metadata: JsonObject): JsonObject {
  if (schema === undefined) return metadata;
  const result = schema.validate(metadata);
  if (result.ok) return result.value as JsonObject;
  const issues = result.issues.map(({ pointer, code, message }) => ({ pointer, code, message }));
  const told = issues.map(issue => `${issue.pointer || '/'}: ${issue.message}`).join('; ');
  throw new SignalboxError('InvalidMetadata', `The metadata of the session does not fit its schema: ${told}.`, {
    hint: 'Nothing was changed.',
    details: { issues },
  });
}

export interface SessionChange {
  readonly set?: JsonObject;
  readonly remove?: readonly string[];
  /** What is changed; default the state. */
  readonly of?: 'state' | 'metadata';
}

/** Sets and removes keys as they are. Runs see it at their next turn. */
export async function changeSession(
  engine: Engine,
  place: SessionPlace,
  change: SessionChange,
  by: Principal,
): Promise<void> {
  const { set = {}, remove, of } = assertJsonValue(change, 'The change') as SessionChange;
  const data = { set, ...(remove === undefined ? {} : { remove }), ...(of === undefined ? {} : { of }) };
  const decide = ({ metadata }: SessionRecord): readonly SessionEvent[] => {
    if (of !== 'metadata') return [{ type: 'session.changed', data }];
    const changed: Record<string, JsonValue> = { ...metadata, ...set };
    for (const key of remove ?? []) delete changed[key];
    const valid = validMetadata(engine, changed);
    const own = Object.keys(set).filter(key => Object.hasOwn(valid, key));
    return [
      { type: 'session.changed', data: { ...data, set: Object.fromEntries(own.map(key => [key, valid[key]!])) } },
    ];
  };
  await engine.sessions.append(place, decide, by);
}

export async function addMessage(
  engine: Engine,
  place: SessionPlace,
  message: { readonly role: MessageRole; readonly content: JsonValue },
  by: Principal,
): Promise<void> {
  await engine.sessions.append(place, () => [messageEvent(message.role, message.content)], by);
}

export function messageEvent(role: MessageRole, content: JsonValue): SessionEvent {
  return { type: 'message.added', data: { role, content: assertJsonValue(content, 'The message') } };
}
