import {
  adHocRequest,
  isExpired,
  type MemoryEntry,
  type NodeRef,
  outsideScope,
  type Program,
  type RequestDefinition,
  type Run,
  recallKey,
  type Task,
} from '@signalbox/kernel';
import type { Clock, LongTermMemory } from '@signalbox/ports';
import type { Sessions } from '../session/sessions.ts';
import { findEntry, type UserMemories } from './user-memories.ts';

export interface RecallDeps {
  readonly sessions: Sessions;
  readonly users: UserMemories;
  readonly clock: Clock;
  readonly longTerm: LongTermMemory | undefined;
  program(tenant: string, version: string): Promise<Program>;
  onError(error: unknown, where: { readonly runId: string; readonly node?: string }): void;
}

/** How long a long-term memory may take, ms; a person is asked then. */
const LONGEST = 5_000;

/**
 * Looks for what need not be asked, in memory outside the run.
 *  1. It only finds: whether that fits and still holds the kernel decides.
 *  2. A memory that fails keeps nobody from asking; what went wrong is told.
 */
export class Recall {
  readonly #deps: RecallDeps;

  constructor(deps: RecallDeps) {
    this.#deps = deps;
  }

  /** Before the node of that task asks: its own question, or the one that its handler makes up. */
  async find(run: Run, task: Task, made?: RequestDefinition): Promise<MemoryEntry | undefined> {
    try {
      return await this.#find(run, task, made);
    } catch (error) {
      this.#deps.onError(error, { runId: run.id, node: task.node });
      return undefined;
    }
  }

  async #find(run: Run, task: Task, made: RequestDefinition | undefined): Promise<MemoryEntry | undefined> {
    const compiled = made === undefined ? task.compiled.request : adHocRequest(made).compiled;
    const scope = compiled === undefined ? undefined : outsideScope(run, compiled.definition);
    if (compiled === undefined || scope === undefined) return undefined;
    const program = await this.#deps.program(run.tenant, run.version);
    const place = recallKey(program, run, task as NodeRef, compiled);
    if (place === undefined) return undefined;
    if (scope === 'session') {
      const { memory } = await this.#deps.sessions.current(run.session!, run.tenant);
      return findEntry(memory, place.key);
    }
    const owner = { tenant: run.tenant, user: run.user! };
    const entry = findEntry(await this.#deps.users.entries(owner), place.key);
    if (entry !== undefined && !isExpired(entry, this.#deps.clock.now())) return entry;
    const { key, graph, title } = place;
    return await this.#longTerm({ ...owner, key, graph, title, node: task.node });
  }

  async #longTerm(query: Parameters<LongTermMemory['find']>[0]): Promise<MemoryEntry | undefined> {
    const { longTerm, clock } = this.#deps;
    if (longTerm === undefined) return undefined;
    let stop = () => {};
    const late = new Promise<never>((_, reject) => {
      stop = clock.at(clock.now() + LONGEST, () => reject(new TooLate()));
    });
    try {
      const found = await Promise.race([longTerm.find(query), late]);
      if (found === undefined) return undefined;
      const { values, by, at, confidence, expiresAt } = found;
      const known = { key: query.key, scope: 'user' as const, title: query.title, values, by, at, confidence };
      return expiresAt === undefined ? known : { ...known, expiresAt };
    } finally {
      stop();
    }
  }
}

class TooLate extends Error {
  constructor() {
    super(`The long-term memory has not answered within ${LONGEST} ms.`);
  }
}
