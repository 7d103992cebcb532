import {
  fromFrame,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ListCell,
  MASK,
  type Program,
  type Run,
  type RunEvent,
  toFrame,
} from '@signalbox/kernel';
import { marksOf } from './marks.ts';
import type { Secrets } from './secrets.ts';

/**
 * The data of an event as `shown` by marks, without what leads to an output that is marked and follows from it at once.
 *  1. What a handler recorded on its way (`ctx.run`) may hold any of it, and nobody can tell what before the output is there.
 *     So it is sealed whole, wherever a run keeps it; nothing is learned from it.
 *  2. What such a node decides may be a value too short to be found by itself.
 */
export function withoutWorkings(program: Program, secrets: Secrets, event: RunEvent, shown: JsonObject): JsonObject {
  const { working } = marksOf(program);
  if (working.size === 0) return shown;
  switch (event.type) {
    case 'op.recorded': {
      const { kind, node, value } = event.data;
      return kind === 'run' && working.has(node) && value !== undefined && value !== null
        ? { ...shown, value: MASK }
        : shown;
    }
    case 'decision.made':
      return working.has(event.data.node) ? maskDecision(secrets, shown) : shown;
    case 'request.opened':
      return event.data.about === 'doubt' && working.has(event.data.node) ? withoutEnd(shown) : shown;
    case 'run.forked':
    case 'run.rolledBack': {
      const { frame, later } = shown;
      return {
        ...shown,
        ...(isJsonObject(frame) ? { frame: maskedFrame(frame, working) } : {}),
        ...(later === undefined ? {} : { later: maskedResults(later, working) as JsonValue }),
      };
    }
    default:
      return shown;
  }
}

/** A run for whoever looks on. */
export function runWithoutWorkings(program: Program, run: Run): Run {
  const { working } = marksOf(program);
  return working.size === 0 ? run : (maskedResults(run, working) as Run);
}

/** What a node chose by its marked output is that, however short it is. */
function maskDecision(secrets: Secrets, data: JsonObject): JsonObject {
  const { chosen = null, options, rejected, context } = data;
  return {
    ...data,
    chosen: secrets.maskedAnywhere(chosen),
    ...(options === undefined ? {} : { options: secrets.maskedAnywhere(options) }),
    ...(rejected === undefined ? {} : { rejected: secrets.maskedAnywhere(rejected) }),
    ...(context === undefined ? {} : { context: secrets.maskedAnywhere(context) }),
  };
}

/** The question after an operation whose end is open tells what it gave beyond the point of a fork. */
function withoutEnd(data: JsonObject): JsonObject {
  const { definition, filled } = data;
  return {
    ...data,
    ...(isJsonObject(definition) ? { definition: withoutGiven(definition) } : {}),
    ...(isJsonObject(filled) ? { filled: withoutGiven(filled) } : {}),
  };
}

function withoutGiven(question: JsonObject): JsonObject {
  const { context } = question;
  if (!isJsonObject(context) || context.gave === undefined) return question;
  return { ...question, context: { ...context, gave: JSON.stringify(MASK) } };
}

function maskedFrame(frame: JsonObject, working: ReadonlySet<string>): JsonObject {
  const before = fromFrame(frame);
  const after = maskedResults(before, working);
  return after === before ? frame : toFrame(after as Run);
}

/** The part itself where it holds no such result. What several hold together stays one. */
function maskedResults(
  part: unknown,
  working: ReadonlySet<string>,
  done: Map<object, unknown> = new Map<object, unknown>(),
): unknown {
  if (typeof part !== 'object' || part === null || part instanceof ListCell) return part;
  if (!done.has(part)) done.set(part, maskedPart(part, working, done));
  return done.get(part);
}

function maskedPart(part: object, working: ReadonlySet<string>, done: Map<object, unknown>): unknown {
  if (part instanceof Map) {
    const entries = [...part].map(([key, item]) => [key, maskedResults(item, working, done)] as const);
    return entries.some(([key, item]) => item !== part.get(key)) ? new Map(entries) : part;
  }
  if (Array.isArray(part)) {
    const items = part.map(item => maskedResults(item, working, done));
    return items.some((item, at) => item !== part[at]) ? items : part;
  }
  if (isResult(part, working)) return { ...part, value: MASK };
  if (isDoubt(part, working)) return withoutEnd(part as JsonObject);
  const members = Object.entries(part).map(([key, item]) => [key, maskedResults(item, working, done)] as const);
  return members.some(([key, item]) => item !== (part as Record<string, unknown>)[key])
    ? Object.assign(Object.create(Object.getPrototypeOf(part) as object), Object.fromEntries(members))
    : part;
}

function isDoubt(part: object, working: ReadonlySet<string>): boolean {
  const { about, node } = part as Readonly<Record<string, unknown>>;
  return about === 'doubt' && working.has(String(node));
}

/** A record of a journal does not say whose it is: in a run with such results all of them are masked. */
function isResult(part: object, working: ReadonlySet<string>): boolean {
  const { op, kind, key, digest, value } = part as Readonly<Record<string, unknown>>;
  if (value === undefined || value === null || typeof digest !== 'string') return false;
  if (typeof op === 'string') return kind === 'run';
  return typeof key === 'string' && key.split('/').some(name => working.has(name));
}
