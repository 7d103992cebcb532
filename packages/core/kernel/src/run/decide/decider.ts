import { SignalboxError } from '../../error/error.ts';
import type { Principal } from '../../event/commit.ts';
import type { ErrorData, NodeRef, RunEvent, RunEvents } from '../../event/run-event.ts';
import type { CompiledGraph, CompiledNode, Program } from '../../graph/program.ts';
import type { JsonValue } from '../../json/value.ts';
import type { Command } from '../command.ts';
import { Draft } from '../draft.ts';
import { applyEvent } from '../evolve/evolve.ts';
import type { Run } from '../run.ts';
import type { Scope } from '../scope.ts';
import type { Token } from '../token.ts';

/**
 * One decision in the making: what was decided so far is already applied to the draft, by `evolve` itself,
 * so a decision can never change anything but through its events.
 */
export class Decider {
  /** The version that rules; a migration changes it for what is decided after. */
  program: Program;
  readonly at: number;
  /** When the last event before this decision was recorded: nothing shows that anybody was at work after it. */
  readonly lastAt: number;
  readonly actor: Principal;
  /** Checks are asked before each node. */
  readonly checks: boolean;
  readonly events: RunEvent[] = [];
  readonly #draft: Draft;

  constructor(program: Program, draft: Draft, by: Pick<Command, 'at' | 'actor' | 'checks'>) {
    this.program = program;
    this.#draft = draft;
    this.actor = by.actor;
    this.checks = by.checks === true;
    this.lastAt = draft.run.at;
    this.at = Math.max(by.at, this.lastAt);
  }

  get run(): Run {
    return this.#draft.run;
  }

  emit<Type extends keyof RunEvents>(type: Type, data: RunEvents[Type]): void {
    const event = { type, data } as RunEvent;
    this.#draft.run.at = this.at;
    applyEvent(this.#draft, event);
    this.events.push(event);
  }

  /** The same decision, to be tried: nothing of it reaches this one. */
  trial(): Decider {
    return new Decider(this.program, new Draft(this.run), this);
  }

  /** The run as it stands, for whoever wants to keep it beyond this decision. */
  keep(): Run {
    return this.#draft.snapshot();
  }

  token(id: string): Token {
    const token = this.run.tokens.get(id);
    if (token === undefined) throw new SignalboxError('UnknownToken', `The run has no token "${id}".`);
    return token;
  }

  scope(id: string): Scope {
    const scope = this.run.scopes.get(id);
    if (scope === undefined) throw new SignalboxError('UnknownScope', `The run has no scope "${id}".`);
    return scope;
  }

  graphOf(token: Token): CompiledGraph {
    const graph = this.program.graphs.get(token.graph);
    if (graph === undefined)
      throw new SignalboxError('UnknownGraph', `Graph "${token.graph}" is not in version ${this.program.hash}.`);
    return graph;
  }

  node(token: Token, name: string): CompiledNode {
    const node = this.graphOf(token).nodes.get(name);
    if (node === undefined)
      throw new SignalboxError('UnknownNode', `Node "${name}" is not in the version that this run is pinned to.`);
    return node;
  }

  /** True while the token is still at that visit of that node. */
  isAt(ref: NodeRef): boolean {
    const at = this.run.tokens.get(ref.token)?.at;
    return at?.kind === 'node' && at.node === ref.node && at.visit === ref.visit;
  }
}

export function refOf(ref: NodeRef): NodeRef {
  return { token: ref.token, node: ref.node, visit: ref.visit };
}

export function errorData(
  code: string,
  message: string,
  extra: Omit<Partial<ErrorData>, 'code' | 'message'> = {},
): ErrorData {
  return { code, message, ...extra };
}

/** The last nodes of a token's path, as a limit's error names them. */
export function lastNodes(token: Token): readonly JsonValue[] {
  const { trail } = token;
  return trail.slice(Math.max(0, trail.length - 5), trail.length);
}

export const ENDED: ReadonlySet<Run['status']> = new Set(['completed', 'failed', 'cancelled']);
