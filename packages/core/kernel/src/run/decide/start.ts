import { SignalboxError } from '../../error/error.ts';
import type { JsonValue } from '../../json/value.ts';
import type { StartCommand } from '../command.ts';
import type { Decider } from './decider.ts';
import { SEMANTICS } from './semantics.ts';

export function start(d: Decider, command: StartCommand): void {
  if (d.run.seq !== 0) throw new SignalboxError('AlreadyStarted', `Run ${d.run.id} has begun already.`);
  const graph = d.program.graphs.get('')!;
  const valid = graph.input.validate(command.input);
  if (!valid.ok) {
    const issues = valid.issues.map(({ pointer, message }) => ({ pointer, message }));
    const told = issues.map(issue => `${issue.pointer || '/'}: ${issue.message}`).join('; ');
    throw new SignalboxError('InvalidInput', `The input does not fit graph "${graph.definition.name}": ${told}`, {
      details: { issues },
    });
  }
  const state: Record<string, JsonValue> = {};
  for (const [key, definition] of graph.state) if (definition.initial !== undefined) state[key] = definition.initial;
  const { runId, tenant, requestId, label, session, key, decisions, claim, semantics = SEMANTICS } = command;
  const { turns, view, parent, contracts } = command;
  d.emit('run.started', {
    runId,
    tenant,
    graph: graph.definition.name,
    version: d.program.hash,
    entry: graph.entry,
    input: valid.value,
    state,
    zone: graph.zone,
    semantics,
    requestId,
    ...(label === undefined ? {} : { label }),
    ...(session === undefined ? {} : { session }),
    ...(key === undefined ? {} : { key }),
    ...(decisions === undefined || decisions === 'on' ? {} : { decisions }),
    by: d.actor,
    ...(turns === undefined ? {} : { turns: true as const }),
    ...(turns !== undefined || view === undefined ? {} : { view }),
    ...(parent === undefined ? {} : { parent }),
    ...(contracts === undefined ? {} : { contracts }),
  });
  if (turns === 'taken') d.emit('place.taken', view === undefined ? {} : { view });
  if (claim !== undefined) d.emit('run.claimed', { ...claim, term: 1 });
}
