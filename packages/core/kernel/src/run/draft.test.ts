import { describe, expect, it } from 'vitest';
import type { NodeDefinition } from '../graph/definition.ts';
import { decideOn } from './decide/decide.ts';
import { Draft } from './draft.ts';
import { initialState } from './evolve/initial-state.ts';
import { ready } from './ready.ts';
import { plainText } from './testing/plain.ts';
import { graph, programOf, T0 } from './testing/scenario.ts';

const step: NodeDefinition = { type: 'step', handler: 'work', timeout: '5s', update: { log: "['x']" } };
const program = programOf(
  graph({
    state: { log: { schema: { type: 'array', items: { type: 'string' } }, reducer: 'append' } },
    nodes: { a: step, b: step, c: step },
    routes: { a: [{ to: ['b'] }], b: [{ to: ['c'] }] },
  }),
);
const actor = { kind: 'system', id: 'driver' } as const;

describe('a draft that is kept for a drive', () => {
  it('gives out runs that stay as they were, however far it goes on', () => {
    const draft = new Draft(initialState());
    const claim = { owner: 'w', build: 'b' };
    decideOn(program, draft, {
      type: 'start',
      at: T0,
      actor,
      runId: 'r',
      tenant: 't',
      input: {},
      requestId: 'q',
      claim,
    });
    const kept: [ReturnType<Draft['snapshot']>, string][] = [];
    for (let task = ready(program, draft.run)[0]; task !== undefined; task = ready(program, draft.run)[0]) {
      const snapshot = draft.snapshot();
      kept.push([snapshot, plainText(snapshot)]);
      const { token, node, visit } = task;
      const end = { type: 'success' as const, output: node, updates: [] };
      decideOn(program, draft, { type: 'report', at: T0, actor, term: 1, token, node, visit, ops: [], end });
    }
    expect(kept).toHaveLength(3);
    for (const [run, text] of kept) expect(plainText(run)).toBe(text);
    expect(draft.run.status).toBe('completed');
  });
});
