import {
  type FirstMember,
  type JsonValue,
  type OpKind,
  type OpReport,
  type RequestDefinition,
  SignalboxError,
  type Validator,
  type WakeTime,
} from '@signalbox/kernel';
import type { DriverLink } from './driver-link.ts';
import type { OpJournal } from './op-journal.ts';
import { forever, type Progress } from './progress.ts';
import type { Results } from './results.ts';
import { textOf } from './shape.ts';
import { senderSchema } from './signal-schema.ts';
import { signalValue, withSchemas, wonValue } from './signal-value.ts';
import { unminded } from './unminded.ts';

/** `recalled`: what memory outside the run has for it; `grants`: what an approval lets happen. */
export type AskMore = Pick<Extract<OpReport, { type: 'ask' }>, 'recalled' | 'grants'>;

type Open = (op: string, digest: string) => OpReport;

/**
 * What a handler waits for: answers, time, signals. The wait itself stands in the run; here is only who asked for it.
 *  1. A new wait is opened once everything recorded was asked for, and never after the execution is over.
 *  2. One that an earlier execution opened is not opened again: this execution waits for the same record.
 */
export class Waits {
  readonly #link: DriverLink;
  readonly #progress: Progress;
  readonly #journal: OpJournal;
  readonly #results: Results;

  constructor(link: DriverLink, progress: Progress, journal: OpJournal, results: Results) {
    this.#link = link;
    this.#progress = progress;
    this.#journal = journal;
    this.#results = results;
  }

  ask(name: string, request: RequestDefinition, more: AskMore = {}): Promise<JsonValue> {
    return this.#wait(name, 'ask', request, (op, digest) => ({ type: 'ask', op, digest, request, ...more }));
  }

  sleep(name: string, until: WakeTime): Promise<void> {
    const over = this.#wait(name, 'sleep', until, (op, digest) => ({ type: 'sleep', op, digest, until }));
    return unminded(over.then(() => {}));
  }

  /** A schema is no argument: one that changed while the run waits is no other code. */
  signal(name: string, schema?: Validator): Promise<JsonValue> {
    textOf(name, 'The name of a signal');
    const json = schema === undefined ? {} : { schema: senderSchema(schema) };
    const came = this.#wait(name, 'signal', name, (op, digest) => ({ type: 'signal', op, digest, name, ...json }));
    return schema === undefined ? came : unminded(came.then(value => signalValue(name, value, schema)));
  }

  first(
    of: Readonly<Record<string, FirstMember>>,
    schemas: ReadonlyMap<string, Validator> = new Map(),
  ): Promise<JsonValue> {
    const members = withSchemas(of, schemas);
    const came = this.#wait('first', 'first', of, (op, digest) => ({ type: 'first', op, digest, of: members }));
    return schemas.size === 0 ? came : unminded(came.then(won => wonValue(won, schemas)));
  }

  refresh(): Promise<JsonValue> {
    return this.#wait('refresh', 'refresh', null, op => ({ type: 'refresh', op }));
  }

  /** What an earlier execution decided or asked under that name, whatever it was; undefined when it did neither. */
  resumed(name: string): Promise<JsonValue> | undefined {
    const record = this.#journal.earlierNamed(name);
    if (record === undefined) return undefined;
    const op = this.#journal.name(name);
    if (record.kind === 'decide') {
      this.#results.passed(op);
      return Promise.resolve(record.value ?? null);
    }
    if (record.status === 'recorded') return this.#results.replayed(record);
    this.#results.begin();
    const waiting = this.#results.whenRecorded(op);
    this.#progress.look();
    return waiting;
  }

  #wait(name: string, kind: OpKind, args: unknown, open: Open): Promise<JsonValue> {
    return unminded(this.#begun(name, kind, args, open));
  }

  #begun(name: string, kind: OpKind, args: unknown, open: Open): Promise<JsonValue> {
    if (this.#link.task.kind === 'compensation')
      throw new SignalboxError(
        'NotInCompensation',
        `A compensation cannot wait, so "${name}" (${kind}) cannot be used in it.`,
      );
    const op = this.#journal.name(name);
    const digest = kind === 'refresh' ? '' : this.#journal.digest(kind, args);
    const known = this.#journal.known(op, kind, digest);
    if (known !== undefined) return this.#results.replayed(known);
    if (this.#progress.over) return forever();
    this.#results.begin();
    const waiting = this.#results.whenRecorded(op);
    const ask = () => {
      if (!this.#progress.over && this.#journal.current(op) === undefined) this.#link.report(open(op, digest));
    };
    const behind = this.#progress.caughtUp();
    if (behind === undefined) ask();
    else void behind.then(ask);
    this.#progress.look();
    return waiting;
  }
}
