import {
  CHECK_PREFIX,
  type Commit,
  isJsonObject,
  type NodeRef,
  nodeKey,
  type RunEvents,
  type Task,
} from '@signalbox/kernel';
import type { CheckVerdict, TaskCheck } from '../drive/driver-deps.ts';

interface Said {
  readonly name: string;
  readonly recordedAs: string;
  readonly verdict: CheckVerdict;
}

/**
 * The checks of a run as its log knows them: whoever said anything but `allow` to a visit says it again, in that order.
 * Nobody is asked anew.
 */
export class RecordedChecks {
  readonly #byVisit = new Map<string, Said[]>();

  constructor(history: readonly Commit[]) {
    for (const { events } of history)
      for (const { type, data } of events) {
        if (type === 'decision.made') this.#decided(data as unknown as RunEvents['decision.made']);
        if (type === 'request.opened') this.#asked(data as unknown as RunEvents['request.opened']);
      }
  }

  for(task: Task): readonly TaskCheck[] {
    const fallback = task.execution?.fallback;
    const said = this.#byVisit.get(keyOf(task, fallback === undefined ? '' : `${fallback.node}/`)) ?? [];
    return said.map(({ verdict, ...check }) => ({ ...check, before: () => verdict }));
  }

  #decided({ op, chosen, reason = '', ...ref }: RunEvents['decision.made']): void {
    if (chosen === 'deny' || chosen === 'pause') this.#note(ref, op, { verdict: chosen, reason });
  }

  #asked({ op, definition, ...ref }: RunEvents['request.opened']): void {
    if (!isJsonObject(definition)) return;
    const { title, message, assignees } = definition;
    if (typeof title !== 'string') return;
    this.#note(ref, op, {
      verdict: 'ask',
      title,
      ...(typeof message === 'string' ? { message } : {}),
      ...(Array.isArray(assignees) ? { assignees: assignees as readonly string[] } : {}),
    });
  }

  #note(ref: NodeRef, op: string | undefined, verdict: CheckVerdict): void {
    const [, prefix = '', recordedAs, name] = (op === undefined ? null : OP.exec(op)) ?? [];
    if (recordedAs === undefined || name === undefined) return;
    const key = keyOf(ref, prefix);
    const said = this.#byVisit.get(key) ?? [];
    if (!said.some(before => before.name === name)) this.#byVisit.set(key, [...said, { name, recordedAs, verdict }]);
  }
}

/** `check:NAME:DIGEST#1`, behind the name of the fallback that stands in. */
const OP = new RegExp(`^(.*/)?(${CHECK_PREFIX}(.+?):(?:sha256:|hmac:)?[0-9a-f]{9,})#\\d+$`);

function keyOf(ref: NodeRef, prefix: string): string {
  return `${nodeKey(ref)}|${prefix}`;
}
