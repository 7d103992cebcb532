import { isJsonObject, type JsonValue, type MessageRole, type Run } from '@signalbox/kernel';
import type { TaskExecution } from '../journal/execution.ts';
import { frozen, recorded } from '../journal/freeze.ts';
import { requireThat } from '../journal/shape.ts';
import type { MessageQuery } from './read-session.ts';
import type { SessionMessage } from './session-record.ts';

/** A recorded read. */
export type ReadMessages = (query?: MessageQuery) => Promise<readonly SessionMessage[]>;

const ROLES: ReadonlySet<unknown> = new Set<MessageRole>(['user', 'assistant', 'system', 'tool']);

/**
 * What a handler does with the session of its run. It reads what the session was when its node started; what it writes
 * counts when the node succeeds.
 */
export class SessionOfHandler {
  readonly id: string;
  readonly user: string | undefined;
  readonly #execution: TaskExecution;
  readonly #read: ReadMessages;

  constructor(execution: TaskExecution, run: Run, read: ReadMessages) {
    this.id = run.session ?? '';
    this.user = run.user;
    this.#execution = execution;
    this.#read = read;
  }

  get state() {
    return frozen(this.#view?.state ?? {});
  }

  get metadata() {
    return frozen(this.#view?.metadata ?? {});
  }

  /** Recorded, like everything that is read from outside: the same again when the handler is executed again. */
  get messages(): ReadMessages {
    return (query = {}) => this.#read(query);
  }

  get say() {
    return (content: unknown, options: { readonly role?: unknown } = {}): void => {
      const { role = 'assistant' } = options;
      requireThat(ROLES.has(role), 'The role of a message is user, assistant, system or tool.');
      this.#execution.tell({ messages: [{ role: role as MessageRole, content: recorded(content, 'The message') }] });
    };
  }

  /** Keys that are `undefined` are removed. */
  get update() {
    return (changes: unknown): void => {
      requireThat(isJsonObject(changes as JsonValue), 'A change of the session is no object of keys.');
      const entries = Object.entries(changes as Record<string, unknown>);
      const set = recorded(Object.fromEntries(entries.filter(([, value]) => value !== undefined)), 'The change');
      const remove = entries.filter(([, value]) => value === undefined).map(([key]) => key);
      this.#execution.tell({ set: set as Record<string, JsonValue>, remove });
    };
  }

  get #view() {
    return this.#execution.task.execution?.session;
  }
}
