import { type ErrorData, isJsonObject, isSignalboxError, toJsonValue } from '@signalbox/kernel';
import { isPermanent, PERMANENT } from './handler.ts';

const MESSAGE_LIMIT = 4_000;

/** What errors that a handler met were recorded as: one that it lets pass is recorded as the same. */
const known = new WeakMap<object, ErrorData>();

/**
 * What the log keeps of a thrown value: code, message, whether it may be tried again. The stack stays out. Total:
 * anything can be thrown, also what cannot be read (no prototype, getters that throw, a revoked proxy).
 */
export function errorDataOf(thrown: unknown): ErrorData {
  try {
    return readError(thrown);
  } catch {
    return { code: 'Error', message: 'What was thrown cannot be read.' };
  }
}

function readError(thrown: unknown): ErrorData {
  const before = typeof thrown === 'object' && thrown !== null ? known.get(thrown) : undefined;
  if (before !== undefined) return isPermanent(thrown) ? { ...before, permanent: true } : before;
  const message = messageOf(thrown);
  const permanent = isPermanent(thrown) ? { permanent: true } : {};
  const code = codeOf(thrown);
  return isSignalboxError(thrown)
    ? { code, message, ...permanent, ...detailsOf(thrown.details) }
    : { code, message, ...permanent };
}

function messageOf(thrown: unknown): string {
  const raw = thrown instanceof Error ? (thrown.message as unknown) : thrown;
  if (typeof raw === 'string') return text(raw);
  try {
    return text(String(raw));
  } catch {
    return 'What was thrown has no text.';
  }
}

/** A number is a code as well: many libraries give one. */
function codeOf(thrown: unknown): string {
  if (typeof thrown === 'object' && thrown !== null) {
    const { code, name } = thrown as { code?: unknown; name?: unknown };
    if (typeof code === 'string' && code !== '') return text(code.slice(0, 200));
    if (typeof code === 'number' && Number.isFinite(code)) return String(code);
    if (typeof name === 'string' && name !== '' && name !== 'Error') return text(name.slice(0, 200));
  }
  return 'Error';
}

function detailsOf(details: unknown) {
  const json = toJsonValue(details);
  return json.ok && isJsonObject(json.value) && Object.keys(json.value).length > 0 ? { details: json.value } : {};
}

/** Messages come from anywhere; what no store could keep is replaced, so that an error can always be recorded. */
function text(raw: string): string {
  return raw.slice(0, MESSAGE_LIMIT).replaceAll(/\p{Surrogate}|\0/gu, '\uFFFD');
}

/**
 * A recorded error as a handler meets it, the first time as every time after: code, message, details, and whether it is
 * permanent. Its class is not kept, so that no code can go one way at first and another when it is executed again.
 */
export function revivedError(data: ErrorData, stack?: string): Error {
  const error = new Error(data.message);
  error.name = data.code;
  if (stack !== undefined) error.stack = stack;
  known.set(error, data);
  return Object.assign(
    error,
    { code: data.code, details: data.details },
    data.permanent === true ? { [PERMANENT]: true } : {},
  );
}

/** Where something was thrown, for whoever debugs; kept nowhere. Total, like `errorDataOf`. */
export function stackOf(thrown: unknown): string | undefined {
  try {
    const stack: unknown = thrown instanceof Error ? thrown.stack : undefined;
    return typeof stack === 'string' ? stack : undefined;
  } catch {
    return undefined;
  }
}
