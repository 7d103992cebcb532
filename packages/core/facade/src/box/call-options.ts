import {
  ANYTHING,
  FLAG,
  invalidArgument,
  listOf,
  NUMBER,
  OBJECT,
  type OptionKind,
  type OptionKinds,
  oneOf,
  STRING,
  TEXT,
} from '@signalbox/kernel';
import type { RequestQuery, RunQuery } from '@signalbox/ports';
import type { AnswerInput, ClaimOptions, DeliveryQuery, ForkOptions, MessageQuery } from '@signalbox/runtime';
import type { Act } from './act.ts';
import { isRunnable } from './box-options.ts';
import type { DeliverySelection, ListenerOptions } from './delivery-options.ts';
import type { Actor } from './principal.ts';
import type { OpenSessionOptions, SendOptions } from './session-options.ts';
import type { StartOptions } from './start-options.ts';

const TEXTS: OptionKind = listOf('texts', TEXT.fits);

/** What is said of an actor, of values and of the parts of a command is checked where they are read. */
const AS = { as: ANYTHING } as const;
const PAGE = { after: TEXT, limit: NUMBER } as const;

export const START: OptionKinds<StartOptions> = {
  ...AS,
  key: TEXT,
  session: TEXT,
  requestId: TEXT,
  label: TEXT,
  decisions: oneOf('on', 'off', 'unattended'),
  tenant: TEXT,
  parent: TEXT,
};

const { session: _session, tenant: _tenant, parent: _parent, ...OF_START } = START;

export const SEND: OptionKinds<SendOptions<unknown>> = {
  ...OF_START,
  input: ANYTHING,
  whileOpen: oneOf('newRun', 'answer', 'reject'),
};

export const ACT: OptionKinds<Act> = { ...AS, reason: ANYTHING };
export const RETRY = { ...ACT, node: ANYTHING } as const;
export const EDIT = { ...ACT, token: ANYTHING, remove: ANYTHING } as const;
export const JUMP = { ...ACT, token: ANYTHING } as const;
export const CANCEL = { ...ACT, compensate: ANYTHING } as const;
/** Who says a note may say why, as of every act; a note has no other reason than itself. */
export const NOTE = ACT;
export const SIGNAL = { ...AS, id: TEXT } as const;
export const MIGRATE = { ...ACT, mapping: ANYTHING } as const;
export const ROLLBACK = { ...ACT, effects: ANYTHING } as const;
export const FORK: OptionKinds<ForkOptions & { readonly as?: Actor }> = {
  ...ACT,
  at: NUMBER,
  effects: ANYTHING,
  version: TEXT,
  mapping: ANYTHING,
};

export const ANSWER: OptionKinds<AnswerInput & { readonly as?: Actor }> = {
  ...AS,
  action: ANYTHING,
  values: ANYTHING,
  note: ANYTHING,
  subject: ANYTHING,
  key: ANYTHING,
};
export const ANSWER_OF_RUN = { ...ANSWER, request: ANYTHING } as const;
export const CLAIM: OptionKinds<ClaimOptions & { readonly as?: Actor }> = { ...AS, takeOver: FLAG };

export const INBOX: OptionKinds<RequestQuery> = {
  ...PAGE,
  tenant: TEXT,
  status: TEXT,
  runId: TEXT,
  session: TEXT,
  assignees: TEXTS,
};
export const RUNS: OptionKinds<RunQuery> = { ...PAGE, tenant: TEXT, status: TEXTS, graph: TEXT, session: TEXT };
export const FEED = { after: ANYTHING } as const;
export const STATE = { at: NUMBER, token: STRING } as const;
export const TOKEN = { token: STRING } as const;
export const EVENTS = { fromSeq: NUMBER } as const;
export const CLOSE = { grace: NUMBER } as const;

export const OPEN_SESSION: OptionKinds<OpenSessionOptions> = {
  ...AS,
  id: TEXT,
  tenant: TEXT,
  user: TEXT,
  metadata: OBJECT,
  places: NUMBER,
};
export const OF_TENANT = { tenant: TEXT } as const;
export const SESSIONS = { ...PAGE, tenant: TEXT } as const;
export const PAGE_OF_RUNS = PAGE;
export const MESSAGES: OptionKinds<MessageQuery> = { limit: NUMBER, before: NUMBER };
export const MEMORY_OF = { tenant: TEXT, run: TEXT, session: TEXT, user: TEXT } as const;

export const DELIVERIES: OptionKinds<DeliveryQuery> = { tenant: TEXT, channel: TEXT, status: TEXT };
export const SELECTION: OptionKinds<DeliverySelection & { readonly reason?: string }> = {
  ...AS,
  tenant: TEXT,
  channel: TEXT,
  id: TEXT,
  reason: TEXT,
};
/** What a channel may be is told by who serves it (`InvalidChannel`). */
export const LISTENER: OptionKinds<ListenerOptions> = {
  tenant: ANYTHING,
  types: ANYTHING,
  schedule: ANYTHING,
  timeout: ANYTHING,
  concurrency: ANYTHING,
};

/** @throws SignalboxError `InvalidOptions` */
export function assertGraphOrName(of: string, graph: unknown): void {
  if (isRunnable(graph) || TEXT.fits(graph)) return;
  throw invalidArgument(of, 'graph', 'a graph that was built, or the name of one', graph);
}
