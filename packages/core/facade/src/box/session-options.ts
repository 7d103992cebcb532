import type { JsonObject } from '@signalbox/kernel';
import type { WhileOpen } from '@signalbox/runtime';
import type { Actor } from './principal.ts';
import type { StartOptions } from './start-options.ts';

export interface OpenSessionOptions {
  /** `ses_` and up to 60 letters, digits and hyphens; made by default. One that is there stays as it is. */
  readonly id?: string;
  readonly tenant?: string;
  /** For whom it is: the name of a user. */
  readonly user?: string;
  readonly metadata?: JsonObject;
  /** Runs that may execute at once; default 1. */
  readonly places?: number;
  readonly as?: Actor;
}

export interface SendOptions<Input> extends Omit<StartOptions, 'session' | 'tenant' | 'parent'> {
  /** Default: the message as the member `message`; a message that is an object is the input itself. */
  readonly input?: Input;
  /** What the message does while a question of the session is open: a new run (default), its answer when it fits, nothing. */
  readonly whileOpen?: WhileOpen;
}
