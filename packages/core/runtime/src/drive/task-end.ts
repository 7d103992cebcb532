import { type ErrorData, parseDuration, SignalboxError, type Task, type TaskEnd, type Wish } from '@signalbox/kernel';
import { recorded } from '../journal/freeze.ts';
import { isMarkedResult, type MarkedResult, PERMANENT, RESULT } from '../journal/handler.ts';
import { optionalText, requireThat, textOf } from '../journal/shape.ts';

/** What a handler wrote so far, in order. */
type Updates = Extract<TaskEnd, { type: 'success' }>['updates'];

/**
 * Turns what a handler returned into the end of its task. It may have returned anything: every part of the end is taken
 * as data and its shape is looked at here, so that nothing that cannot be recorded comes to a decision.
 *
 * @throws SignalboxError `InvalidValue`, `InvalidResult` or `InvalidDuration`, which fail the node.
 */
export function toTaskEnd(task: Task, updates: Updates, returned: unknown): TaskEnd {
  if (isMarkedResult(returned)) return markedEnd(task, updates, returned);
  return { type: 'success', output: outputOf(task, returned), updates: [...updates] };
}

function outputOf(task: Task, output: unknown) {
  return recorded(output, `The output of "${task.node}"`);
}

function markedEnd(task: Task, updates: Updates, result: MarkedResult): TaskEnd {
  const mark: unknown = result[RESULT];
  switch (mark) {
    case 'next':
      return nextEnd(task, updates, result);
    case 'failed':
      return { type: 'failed', error: failedError(task, result), retry: flagOf(result.retry, 'retry') ?? false };
    case 'skipped':
      return { type: 'skipped', ...reasonOf(result) };
    case 'retry': {
      const after = optionalText(result.after, 'The `after` of a retry');
      return { type: 'retry', ...(after === undefined ? {} : { after: parseDuration(after) }), ...reasonOf(result) };
    }
    default:
      throw invalidResult(task, mark);
  }
}

function nextEnd(task: Task, updates: Updates, result: MarkedResult): TaskEnd {
  const declared = task.compiled.definition.next ?? [];
  const to = result.to === undefined ? '' : textOf(result.to, 'The target of a wish');
  if (!declared.includes(to)) return { type: 'failed', error: wishNotDeclared(task, to, declared) };
  const { confidence, options } = result;
  requireThat(
    confidence === undefined || (typeof confidence === 'number' && confidence >= 0 && confidence <= 1),
    'The `confidence` of a wish is no number from 0 to 1.',
  );
  const wish: Wish = {
    to,
    options: options === undefined ? declared : optionsOf(options),
    ...reasonOf(result),
    ...(confidence === undefined ? {} : { confidence }),
  };
  return { type: 'success', output: outputOf(task, result.output), updates: [...updates], wish };
}

function optionsOf(raw: unknown): readonly string[] {
  requireThat(Array.isArray(raw), 'The `options` of a wish are no list.');
  return raw.map(option => textOf(option, 'An option of a wish'));
}

function failedError(task: Task, result: MarkedResult): ErrorData {
  const code = optionalText(result.code, 'The `code` of a failure') ?? 'Failed';
  const message = optionalText(result.message, 'The `message` of a failure') ?? `"${task.node}" failed.`;
  const permanent = flagOf(result.permanent, 'permanent');
  return { code, message, ...(permanent === undefined ? {} : { permanent }) };
}

function reasonOf(result: MarkedResult): { readonly reason?: string } {
  const reason = optionalText(result.reason, 'The `reason` of a result');
  return reason === undefined ? {} : { reason };
}

function flagOf(raw: unknown, name: string): boolean | undefined {
  requireThat(raw === undefined || typeof raw === 'boolean', `The \`${name}\` of a failure is neither true nor false.`);
  return raw;
}

function wishNotDeclared({ node }: Task, to: string, declared: readonly string[]): ErrorData {
  const message = `"${node}" wished for "${to}", which its \`next\` does not list (${declared.join(', ')}).`;
  return { code: 'WishNotDeclared', message, permanent: true };
}

/** Marked as a result, but as none that this version knows: made by another version, or by hand. */
function invalidResult({ node }: Task, mark: unknown): SignalboxError {
  const told = typeof mark === 'string' ? `"${mark.slice(0, 40)}"` : `a ${typeof mark}`;
  const message = `"${node}" returned a result of a kind that is not known: ${told}.`;
  const hint = 'Return an output, or what `next`, `failed`, `skipped` or `retry` give.';
  return Object.assign(new SignalboxError('InvalidResult', message, { hint }), { [PERMANENT]: true });
}
