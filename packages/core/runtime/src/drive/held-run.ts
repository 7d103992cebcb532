import {
  type Command,
  type CommandBody,
  type Decision,
  Draft,
  decideOn,
  handlersOf,
  initialState,
  type Principal,
  type Program,
  type Run,
  type RunEvent,
  ready,
  SignalboxError,
  type Task,
} from '@signalbox/kernel';
import { sharedBoundsIn } from '../agent/shared-bounds.ts';
import { type LoadedRun, loadRun } from '../log/run-log.ts';
import { learnWaits } from '../sensitive/mask-by-marks.ts';
import { maskedError } from '../sensitive/masked-error.ts';
import { maskedRun } from '../sensitive/masked-run.ts';
import { Opening } from '../sensitive/opening.ts';
import type { Secrets } from '../sensitive/secrets.ts';
import type { Queued } from './command-queue.ts';
import { DRIVER, type DriverDeps } from './driver-deps.ts';
import type { Flight } from './flights.ts';
import { isUnmoved, NotDecided } from './not-decided.ts';
import { type CommitParts, RunWriter } from './run-writer.ts';

/** Nearly all are reports: one shape of theirs, made without a copy, is what decisions are quick on. */
function commandOf(body: CommandBody, at: number, actor: Principal, checks: boolean): Command {
  if (body.type !== 'report') return { ...body, at, actor, checks } as Command;
  const { type, term, token, node, visit, ops, end } = body;
  return end === undefined
    ? { type, term, token, node, visit, ops, at, actor, checks }
    : { type, term, token, node, visit, ops, end, at, actor, checks };
}

const ENDED = new Set(['completed', 'failed', 'cancelled']);

/** Whoever looks sees the digest of what is to be approved under the run's key, and answers with that. */
function withClearSubject(body: CommandBody, secrets: Secrets): CommandBody {
  if (body.type !== 'answer' || body.subject === undefined || secrets.isEmpty) return body;
  return { ...body, subject: secrets.digestShownAs(body.subject) };
}

/** It is told to whoever gave the command. */
function withMaskedRefusal(decision: Decision, secrets: Secrets): Decision {
  const { refusal } = decision;
  if (refusal === undefined || secrets.isEmpty) return decision;
  return { ...decision, refusal: maskedError(refusal, secrets) as SignalboxError };
}

/** A run as its driver holds it: the draft that decisions are made on, its version, and the way to write it. */
export class HeldRun {
  readonly #deps: DriverDeps;
  readonly #runId: string;
  #program: Program;
  #draft: Draft;
  #writer: RunWriter;
  /** The term under which this driver holds the run; a run that has gone on to another is not this driver's. */
  #term = -1;
  /** A value was erased that the run held here still holds. */
  #outdated = false;
  readonly #mayDrive = () => this.mayDrive();

  constructor(deps: DriverDeps, runId: string, program: Program, loaded: LoadedRun | undefined) {
    this.#deps = deps;
    this.#runId = runId;
    this.#program = program;
    this.#draft = new Draft(loaded?.run ?? initialState());
    // Another driver of this process held it and went when it only waited: its term is as good as a new one.
    if (loaded?.run.owner === deps.owner) this.#term = loaded.run.term;
    this.#writer = this.#writerOf(loaded);
  }

  get run(): Run {
    return this.#draft.run;
  }

  get program(): Program {
    return this.#program;
  }

  get term(): number {
    return this.#term;
  }

  /** For whoever comes next; undefined of one that cannot be handed on. */
  rested(): LoadedRun | undefined {
    if (this.#outdated || this.run.seq === 0) return undefined;
    return { run: this.#draft.snapshot(), ...this.#writer.place };
  }

  // ── decisions ──────────────────────────────────────────────────────────────────────────────────────────────

  /**
   * @throws NotDecided when the kernel fails at it, or refuses or passes over what the driver itself reports.
   * @throws SignalboxError `TermLost`
   */
  decide(queued: Queued): Decision {
    let decision: Decision;
    try {
      decision = this.#decide(queued);
    } catch (error) {
      throw new NotDecided(error);
    }
    if (queued.outside) return decision;
    const { refusal } = decision;
    if (refusal?.code === 'TermLost') throw refusal;
    if (refusal !== undefined) throw new NotDecided(refusal);
    if (isUnmoved(this.run, queued.body, decision)) throw new NotDecided('It moves nothing.');
    return decision;
  }

  #decide({ body: asked, actor }: Pick<Queued, 'body' | 'actor'>): Decision {
    const { clock, checks, sessions } = this.#deps;
    if (asked.type === 'admit' && !this.#isTurn()) return { events: [] };
    const view = asked.type === 'admit' ? sessions.news(this.run) : undefined;
    const body = view === undefined ? withClearSubject(asked, this.secrets) : { ...asked, view };
    const command = commandOf(body, clock.now(), actor, checks.length > 0);
    const decision = withMaskedRefusal(decideOn(this.#program, this.#draft, command), this.secrets);
    if (body.type === 'migrate' && decision.refusal === undefined) this.#program = body.to;
    return decision;
  }

  /** Writes what was decided. */
  async commit(
    { batch, decisions, events, firstSeq }: Omit<Flight, 'number'>,
    how: Pick<CommitParts, 'isFollowed' | 'written'>,
  ): Promise<void> {
    const { run } = this;
    const commands: CommitParts['commands'][number][] = [];
    for (let index = 0; index < batch.length; index += 1) {
      const { commandId } = batch[index]!.extras;
      if (commandId !== undefined)
        commands.push({ id: commandId.id, outcome: commandId.outcome(decisions[index]!, run) });
    }
    const { actor = DRIVER, extras } = batch[0] ?? {};
    const isRefused = decisions[0]?.refusal !== undefined;
    this.#outdated ||= events.some(event => event.type === 'payload.erased');
    const written = this.#writer.write(run, this.#program, {
      actor,
      firstSeq,
      events,
      commands,
      startKey: isRefused ? undefined : extras?.startKey,
      documents: extras?.documents,
      erasures: extras?.erasures,
      // What a refused command would have said was not said.
      session: isRefused ? undefined : extras?.session,
      bounds: sharedBoundsIn(batch),
      ...how,
      mayDrive: this.#mayDrive,
    });
    // What is written is put together; the next commit begins.
    this.#draft.endCommit();
    await written;
  }

  /** Now, or after `more` commits. */
  isSnapshotDue(more = 0): boolean {
    return this.#writer.isSnapshotDue(more);
  }

  #writerOf(loaded: LoadedRun | undefined): RunWriter {
    const writer = new RunWriter(this.#deps, loaded, () => this.run.tenant);
    learnWaits(this.#program, this.run, writer.secrets);
    return writer;
  }

  /** What is known to be sensitive in the run. */
  get secrets(): Secrets {
    return this.#writer.secrets;
  }

  /** The events of a commit as observers are told of them. */
  shown(events: readonly RunEvent[]): readonly RunEvent[] {
    return this.#writer.shown(events);
  }

  /** The run as observers are told of it. */
  shownRun(): Run {
    return maskedRun(this.#program, this.run, this.secrets);
  }

  /** Only when everything decided has landed. */
  saveSnapshot(): Promise<void> {
    return this.#writer.saveSnapshot(this.run);
  }

  /** The draft is void: the run as the store has it, in the version it is pinned to there. */
  async reload(): Promise<void> {
    const opening = new Opening(this.#deps.keys);
    const loaded = await loadRun(this.#deps.store, this.#runId, undefined, opening);
    if (loaded === undefined) throw new SignalboxError('UnknownRun', `There is no run ${this.#runId}.`);
    this.#draft = new Draft(loaded.run);
    // What was learned is sensitive whether the commit with it has landed or not.
    opening.secrets.adopt(this.secrets);
    this.#writer = this.#writerOf(loaded);
    if (loaded.run.version !== this.#program.hash)
      this.#program = await this.#deps.program(loaded.run.tenant, loaded.run.version);
  }

  // ── who drives it ──────────────────────────────────────────────────────────────────────────────────────────

  /** A process without the code for it does not hold up the session with it. */
  #isTurn(): boolean {
    return this.run.place === 'queued' && this.mayDrive() && this.#deps.sessions.seemsTurn(this.run);
  }

  /** `lastAt`: when its last event was recorded, epoch ms. */
  claim(lastAt: number): readonly RunEvent[] {
    const { owner, build, crashLimit } = this.#deps;
    const { events } = this.#decide({ body: { type: 'claim', owner, build, crashLimit, lastAt }, actor: DRIVER });
    this.#term = this.run.term;
    return events;
  }

  get isClaimed(): boolean {
    const { owner, term } = this.run;
    return owner === this.#deps.owner && term === this.#term;
  }

  /** It is claimed in the run's first commit. */
  claimByStart(): { readonly owner: string; readonly build: string } {
    this.#term = 1;
    return { owner: this.#deps.owner, build: this.#deps.build };
  }

  /** What its driver may execute now; nothing when it is not claimed. */
  tasks(): readonly Task[] {
    return this.isClaimed ? ready(this.#program, this.run) : [];
  }

  hasWork(): boolean {
    const { run } = this;
    if (ENDED.has(run.status) || run.seq === 0) return false;
    return run.status === 'cancelling' || ready(this.#program, run).length > 0;
  }

  mayDrive(): boolean {
    for (const key of handlersOf(this.#program)) if (this.#deps.handler(key) === undefined) return false;
    return true;
  }
}
