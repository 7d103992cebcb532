import type { JsonObject, JsonValue, MemoryEntry, MessageRole } from '@signalbox/kernel';

/** What in a run's stream an event of the session comes from. */
export interface Origin {
  readonly run?: string;
  readonly node?: string;
}

/** Type → data of every event in the stream of a session. */
export interface SessionEvents {
  'session.opened': {
    readonly tenant: string;
    readonly user?: string;
    readonly metadata?: JsonObject;
    /** Runs that may execute at once. */
    readonly places?: number;
  };
  /** Keys set and removed as they are, of the state or of the metadata. */
  'session.changed': Origin & {
    readonly set: JsonObject;
    readonly remove?: readonly string[];
    readonly of?: 'state' | 'metadata';
  };
  'message.added': Origin & { readonly role: MessageRole; readonly content: JsonValue };
  'run.joined': { readonly run: string; readonly graph: string; readonly parent?: string };
  'place.queued': { readonly run: string };
  'place.taken': { readonly run: string };
  'place.freed': { readonly run: string };
  'memory.written': MemoryEntry;
  'memory.removed': Pick<MemoryEntry, 'key' | 'scope'> & { readonly reason: string };
}

export type SessionEventType = keyof SessionEvents;

export type SessionEvent = {
  [Type in SessionEventType]: { readonly type: Type; readonly data: SessionEvents[Type] };
}[SessionEventType];
