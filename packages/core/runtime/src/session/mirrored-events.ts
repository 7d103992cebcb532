import type { RunEvent } from '@signalbox/kernel';
import type { SessionEvent } from './session-event.ts';

/** What the events of a run say to its session, in order; most say nothing. */
export function mirrored(run: string, events: readonly RunEvent[]): SessionEvent[] {
  const said: SessionEvent[] = [];
  for (const event of events) {
    const one = mirroredOne(run, event);
    if (one !== undefined) said.push(one);
  }
  return said;
}

function mirroredOne(run: string, event: RunEvent): SessionEvent | undefined {
  switch (event.type) {
    case 'run.started': {
      const { graph, parent } = event.data;
      return { type: 'run.joined', data: { run, graph, ...(parent === undefined ? {} : { parent }) } };
    }
    case 'place.queued':
    case 'place.taken':
    case 'place.freed':
      return { type: event.type, data: { run } };
    case 'message.added': {
      const { node, role, content } = event.data;
      return { type: 'message.added', data: { role, content, run, node } };
    }
    case 'session.changed': {
      const { node, set, remove } = event.data;
      return { type: 'session.changed', data: { set, ...(remove === undefined ? {} : { remove }), run, node } };
    }
    case 'memory.written':
      return event.data.scope === 'session' ? { type: event.type, data: event.data } : undefined;
    default:
      return undefined;
  }
}
