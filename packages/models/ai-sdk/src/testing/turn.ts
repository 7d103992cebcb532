import type { ModelReply, ModelToolCall, ModelUsage } from '@signalbox/ports';

/** What the stand-in does with one request. */
export type Turn = ReplyTurn | FaultTurn | ResetTurn;

export interface ReplyTurn {
  readonly text?: string;
  readonly calls?: readonly ModelToolCall[];
  /** Default `stop`, or `tools` where there are calls. */
  readonly finish?: Exclude<ModelReply['finish'], 'other'>;
  /** Null: the provider tells none. */
  readonly usage?: ModelUsage | null;
  readonly model?: string;
  /** The connection is torn after this many events of a stream, and in the middle of a whole body. */
  readonly cutAfter?: number;
  /** The stream ends in good order after this many events. */
  readonly endAfter?: number;
  /** In place of the rest of a stream, after this many events, comes an error. */
  readonly failAfter?: number;
  /** Before the first byte; `true`: nothing ever comes. */
  readonly silent?: true;
  /** A stream goes on after this many events only when it is told to, which it never is. */
  readonly stallAfter?: number;
}

/** An answer other than 200. */
export interface FaultTurn {
  readonly status: number;
  readonly message?: string;
  readonly type?: string;
  readonly code?: string;
  readonly param?: string;
  /** In place of the error as this provider words it. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The connection is closed without an answer. */
export interface ResetTurn {
  readonly reset: true;
}

export type Received = {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readonly<Record<string, unknown>>;
};

/** How one provider words replies and errors. */
export interface Wire {
  readonly path: string;
  whole(turn: ReplyTurn, model: string): unknown;
  /** Texts of server-sent events. */
  events(turn: ReplyTurn, model: string): readonly string[];
  error(turn: FaultTurn): unknown;
  errorEvent(message: string): string;
}

export const DEFAULT_USAGE: ModelUsage = { input: 11, output: 7 };

/** Pieces of a text, so that streams have more than one. */
export function pieces(text: string): string[] {
  return [...text.matchAll(/[\s\S]{1,4}/gu)].map(([piece]) => piece);
}

export function event(data: unknown, name?: string): string {
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
}
