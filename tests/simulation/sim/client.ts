import { RunHandle } from '@signalbox/core';
import { isSignalboxError, type JsonObject, type Run } from '@signalbox/kernel';
import { isStoreConflict, type RequestRow } from '@signalbox/ports';
import { InjectedFault } from './faulty-store.ts';
import type { SimulatedProcess } from './process.ts';
import type { Random } from './random.ts';
import type { World } from './world.ts';

/** What the outside wants done; it is sent again until an outcome is known, where that is safe. */
export interface ClientCommand {
  readonly name: string;
  /** Safe to be sent again, and then sure to be carried out once. */
  readonly keyed: boolean;
  readonly send: (process: SimulatedProcess) => Promise<unknown>;
  readonly about?: { readonly request?: string; readonly signal?: string; readonly content?: JsonObject };
  outcome?: { readonly accepted: true } | { readonly accepted: false; readonly code: string };
}

export const RUN = 'run';
const USER = 'user:finn';

/** The outside of a simulation: people and services that start, answer, signal and steer, through whichever process. */
export class Client {
  readonly commands: ClientCommand[] = [];
  readonly #world: World;
  readonly #random: Random;
  readonly #failed: (what: string) => void;
  #count = 0;
  runId: string | undefined;

  constructor(world: World, random: Random, failed: (what: string) => void) {
    this.#world = world;
    this.#random = random;
    this.#failed = failed;
  }

  start(decisions: 'on' | 'unattended'): ClientCommand {
    return this.#add({
      name: 'start',
      keyed: true,
      send: async process => {
        const options = { key: RUN, ...(decisions === 'on' ? {} : { decisions }) };
        const runId = await process.engine.start(process.graph, {}, options);
        if (this.runId !== undefined && this.runId !== runId)
          this.#failed(`Two runs of one key: ${this.runId}, ${runId}`);
        this.runId = runId;
      },
    });
  }

  answer(row: RequestRow): ClientCommand {
    this.#count += 1;
    const key = `a${this.#count}`;
    const content = this.#contentFor(row);
    return this.#add({
      name: `answer ${key} to ${row.title}`,
      keyed: true,
      about: { request: row.requestId, content },
      send: process =>
        new RunHandle(process.engine, row.runId).answer({ ...content, request: row.requestId, key, as: USER }),
    });
  }

  #contentFor(row: RequestRow): JsonObject {
    if (/^Did "|was done already/.test(row.title)) {
      const outcome = this.#random.pick(['done', 'repeat', 'fail']);
      return { values: { outcome, ...(outcome === 'done' ? { result: '77' } : {}) } };
    }
    if (row.kind === 'form')
      return this.#random.chance(0.1) ? { action: 'reject' } : { values: { x: this.#random.int(100) } };
    return { action: this.#random.pick(['approve', 'reject']) };
  }

  signal(runId: string, name: string): ClientCommand {
    this.#count += 1;
    const id = `s${this.#count}`;
    return this.#add({
      name: `signal ${name} ${id}`,
      keyed: true,
      about: { signal: id },
      send: process => new RunHandle(process.engine, runId).signal(name, this.#count, { id, as: USER }),
    });
  }

  /** One of the controller's acts; sent once, whatever becomes of it. */
  steer(run: Run, act: ControllerAct): ClientCommand {
    const nodes = Object.keys(run.tokens.get('')?.visits ?? {});
    const node = nodes.length === 0 ? 'nobody' : this.#random.pick(nodes);
    const to = 1 + this.#random.int(Math.max(1, run.seq));
    return this.#add({
      name: act === 'rollback' ? `rollback to ${to}` : act,
      keyed: false,
      send: process => {
        const handle = new RunHandle(process.engine, run.id);
        switch (act) {
          case 'edit':
            return handle.edit({ count: 1 });
          case 'note':
            return handle.note('seen');
          case 'compensate':
            return handle.cancel({ compensate: true });
          case 'begin anew':
            return handle.retry({ node });
          case 'jump':
            return handle.jump(node);
          case 'rollback':
            return handle.rollback(to);
          default:
            return handle[act]();
        }
      },
    });
  }

  #add(command: ClientCommand): ClientCommand {
    this.commands.push(command);
    return command;
  }

  /** Keyed commands of which no outcome is known. */
  get unsettled(): ClientCommand[] {
    return this.commands.filter(({ keyed, outcome }) => keyed && outcome === undefined);
  }

  send(command: ClientCommand, process: SimulatedProcess): void {
    this.#world.note(`client: ${command.name} by ${process.name}`);
    command.send(process).then(
      () => this.#settle(command, { accepted: true }),
      (error: unknown) => {
        // Nobody knows what became of it; who sent it with a key sends it again.
        if (error instanceof InjectedFault) return;
        if (!isSignalboxError(error)) return this.#failed(`${command.name} was answered with ${describe(error)}`);
        if (isStoreConflict(error) || error.code === 'TermLost')
          return this.#failed(
            `${command.name} was answered with ${error.code}, which is none of the client's business`,
          );
        this.#settle(command, { accepted: false, code: error.code });
      },
    );
  }

  #settle(command: ClientCommand, outcome: NonNullable<ClientCommand['outcome']>): void {
    this.#world.note(`client: ${command.name} ${outcome.accepted ? 'accepted' : outcome.code}`);
    // What was refused may be taken later; what was accepted stays so.
    if (command.keyed && command.outcome?.accepted === true && !outcome.accepted)
      this.#failed(`${command.name} was accepted, and then refused as ${outcome.code}`);
    if (command.outcome?.accepted !== true) command.outcome = outcome;
  }
}

export function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}\n${error.stack}` : String(error);
}

type ControllerAct =
  | 'pause'
  | 'resume'
  | 'step'
  | 'retry'
  | 'begin anew'
  | 'edit'
  | 'jump'
  | 'rollback'
  | 'cancel'
  | 'compensate'
  | 'note';

/** Which controller's acts make sense now and then. */
export function actsFor(run: Run): readonly ControllerAct[] {
  switch (run.status) {
    case 'running':
    case 'suspended':
      return [
        'pause',
        'pause',
        'edit',
        'note',
        'cancel',
        'compensate',
        'retry',
        'begin anew',
        'jump',
        'rollback',
        'resume',
      ];
    case 'paused':
      return ['resume', 'step', 'edit', 'step', 'pause', 'rollback'];
    case 'failed':
      return ['retry', 'retry', 'edit', 'resume', 'rollback', 'begin anew'];
    default:
      return ['note', 'pause', 'rollback'];
  }
}
