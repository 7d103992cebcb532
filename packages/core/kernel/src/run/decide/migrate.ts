import { SignalboxError } from '../../error/error.ts';
import type { Change } from '../../event/run-event.ts';
import type { CompiledGraph } from '../../graph/program.ts';
import { cellValue } from '../../state/cell.ts';
import type { Migration } from '../command.ts';
import type { Token } from '../token.ts';
import type { Decider } from './decider.ts';

/**
 * Moves the run to another version of its graph. Refused as a whole where that is another graph, lacks a node the run has
 * been at (under its name or a mapped one), has one of another type in the place of one under way, or does not take the
 * state as it is. A key that it adds with a default is set; one that it drops, or to which the value does not fit, refuses.
 */
export function moveTo(d: Decider, migration: Migration, reason: string): void {
  const { to, mapping, label } = migration;
  d.emit('run.migrated', {
    from: d.run.version,
    to: to.hash,
    mapping,
    reason,
    ...(label === undefined ? {} : { label }),
  });
  d.program = to;
  completeState(d);
}

/** Keys that the version has from the start on and that the run began without: it has them from now on, in every scope. */
export function completeState(d: Decider): void {
  for (const token of [...d.run.tokens.values()]) {
    const changes: Change[] = [];
    for (const [key, { initial }] of d.program.graphs.get(token.graph)?.state ?? [])
      if (initial !== undefined && token.state[key] === undefined)
        changes.push({ key, op: 'set', value: initial, source: `migrate:${d.actor.id}` });
    if (changes.length > 0) d.emit('state.changed', { token: token.id, changes, base: true });
  }
}

export function needsFit(d: Decider, migration: Migration): void {
  const { to } = migration;
  if (to.definition.name !== d.run.graph)
    throw new SignalboxError(
      'OtherGraph',
      `Version ${to.hash} is of graph "${to.definition.name}", not "${d.run.graph}".`,
    );
  needsNodes(d, migration);
  for (const token of d.run.tokens.values()) {
    const graph = to.graphs.get(token.graph);
    if (graph === undefined) continue;
    needsType(d, token, graph, migration);
    needsState(token, graph);
  }
}

function needsNodes(d: Decider, migration: Migration): void {
  const missing = missingNodes(d, migration);
  if (missing.length === 0) return;
  const message = `The other version lacks nodes this run has been at: ${missing.join(', ')}.`;
  throw new SignalboxError('NodesMissing', message, {
    hint: 'Map each to a node of the other version.',
    details: { missing },
  });
}

/** Nodes that the run has visited and the other version has not (after mapping), as `name` or `name → mapped`. */
export function missingNodes(d: Pick<Decider, 'run'>, command: Pick<Migration, 'to' | 'mapping'>): string[] {
  const missing = new Set<string>();
  for (const token of d.run.tokens.values()) {
    const graph = command.to.graphs.get(token.graph);
    for (const node of Object.keys(token.visits)) {
      const mapped = command.mapping[node] ?? node;
      if (graph?.nodes.has(mapped) !== true) missing.add(mapped === node ? node : `${node} → ${mapped}`);
    }
  }
  return [...missing].sort();
}

/** What waits, or stands open with tokens of its own, goes on as it began. */
function needsType(d: Decider, token: Token, graph: CompiledGraph, { mapping }: Migration): void {
  const { at } = token;
  if (at.kind !== 'node' && !(at.kind === 'failed' && at.phase === 'scope' && at.composite !== undefined)) return;
  const before = d.node(token, at.node).definition.type;
  const name = mapping[at.node] ?? at.node;
  const after = graph.nodes.get(name)?.definition.type;
  if (after === before) return;
  throw new SignalboxError(
    'NodeTypeDiffers',
    `The run is at node "${at.node}" of type ${before}; "${name}" of the other version is of type ${after}.`,
    { hint: 'Let the run leave that node first, or map it to a node of its type.' },
  );
}

function needsState({ state }: Token, graph: CompiledGraph): void {
  for (const [key, cell] of Object.entries(state)) {
    const definition = graph.state.get(key);
    const result = definition?.value.validate(cellValue(cell));
    if (result?.ok === true) continue;
    const fault =
      result === undefined ? 'has no such key' : `wants: ${result.issues.map(({ message }) => message).join('; ')}`;
    throw new SignalboxError('InvalidState', `The state at /${key} does not fit the other version, which ${fault}.`, {
      hint: 'Edit the state first, or let the other version take it.',
      details: { pointer: `/${key}` },
    });
  }
}
