import { isJsonObject, isSignalboxError, type JsonValue, parseStrictJson } from '@signalbox/kernel';
import type { EventStore } from '@signalbox/ports';
import type { HeadLines } from './head-file.ts';
import { allStreams } from './verify-stream.ts';

/** One checkpoint: at `at`, the stream's last event was `seq` and its last commit had `hash`. */
export interface HeadEntry {
  readonly stream: string;
  readonly seq: number;
  readonly hash: string;
  readonly at: string;
}

export interface HeadFinding {
  /** Line of the head file, from 1. */
  readonly line: number;
  readonly stream?: string;
  readonly seq?: number;
  /** `HeadMissing`: the stream is shorter now, or gone. `HeadMismatch`: another commit stands there. `HeadUnreadable`: the line is no head. */
  readonly code: 'HeadMissing' | 'HeadMismatch' | 'HeadUnreadable';
  readonly reason: string;
}

export interface HeadReport {
  readonly ok: boolean;
  /** Lines looked at. */
  readonly checked: number;
  /** The first hundred. */
  readonly bad: readonly HeadFinding[];
}

const MOST_FINDINGS = 100;

/**
 * Looks for every head ever written in the store: a stream that was cut off lacks one, a stream that was written anew has
 * another. The chain of what stands before each head is `verifyStream`'s.
 */
export async function checkHeads(store: EventStore, lines: HeadLines): Promise<HeadReport> {
  const bad: HeadFinding[] = [];
  let line = 0;
  for await (const text of lines.readLines()) {
    line += 1;
    const entry = readHead(text);
    const fault =
      typeof entry === 'string' ? ({ code: 'HeadUnreadable', reason: entry } as const) : await faultOf(store, entry);
    if (fault === undefined || bad.length === MOST_FINDINGS) continue;
    bad.push({ line, ...(typeof entry === 'string' ? {} : { stream: entry.stream, seq: entry.seq }), ...fault });
  }
  return { ok: bad.length === 0, checked: line, bad };
}

export interface WrittenHeads extends HeadReport {
  readonly written: number;
}

const BATCH = 500;

/**
 * Adds the head of every stream that has moved since its last one was written. A stream that lacks its last head gets no
 * new one and is reported, so that a rewritten log is never signed off unseen.
 *
 * @param at RFC 3339 UTC, written into the lines.
 */
export async function writeHeads(store: EventStore, lines: HeadLines, at: string): Promise<WrittenHeads> {
  const last = new Map<string, HeadEntry & { readonly line: number }>();
  const bad: HeadFinding[] = [];
  let line = 0;
  for await (const text of lines.readLines()) {
    line += 1;
    const entry = readHead(text);
    if (typeof entry !== 'string') last.set(entry.stream, { ...entry, line });
    else if (bad.length < MOST_FINDINGS) bad.push({ line, code: 'HeadUnreadable', reason: entry });
  }
  for (const entry of last.values()) {
    const fault = await faultOf(store, entry);
    if (fault === undefined) continue;
    if (bad.length < MOST_FINDINGS) bad.push({ line: entry.line, stream: entry.stream, seq: entry.seq, ...fault });
    refused.add(entry.stream);
  }
  return { ok: bad.length === 0, checked: last.size, bad, written: 0 };
}
