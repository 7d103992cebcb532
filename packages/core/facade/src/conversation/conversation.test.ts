import { scriptedModel, testbox } from '@signalbox/testkit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { RunHandle } from '../box/run-handle.ts';
import { defineGraph } from '../builder/define-graph.ts';
import type { Graph } from '../builder/graph.ts';
import { graphFromDefinition } from '../builder/graph-from-definition.ts';
import { declarationsOf } from '../builder/node-type.ts';
import { skipped } from '../builder/result.ts';
import { loadGraph } from '../loader/load-graph.ts';
import { type ConversationOptions, conversation } from './conversation.ts';
import { moderatorType } from './moderator.ts';
import { type Turn, transcript } from './turn.ts';

const INPUT = z.object({ topic: z.string().default('the cache') });
type Options = Partial<ConversationOptions<'talk', typeof INPUT>>;

/** Two speakers who say their lines, and then something new for ever. */
function talkGraph(
  options: Options = {},
  lines: Readonly<Record<'ada' | 'bob', readonly string[]>> = { ada: [], bob: [] },
) {
  return conversation({
    name: 'talk',
    input: INPUT,
    speakers: talk => {
      const speaker = (name: 'ada' | 'bob') =>
        talk.step(({ node }) => lines[name][node.visit - 1] ?? `${name} has idea number ${node.visit}`);
      return { ada: speaker('ada'), bob: speaker('bob') };
    },
    ...options,
  });
}

async function eventsOf(run: { events(): AsyncIterable<{ type: string; data: unknown }> }, type: string) {
  const found: unknown[] = [];
  for await (const event of run.events()) if (event.type === type) found.push(event.data);
  return found as Record<string, unknown>[];
}

async function held(graph: Graph<never, unknown> | ReturnType<typeof talkGraph>, input: object = {}) {
  const box = testbox({ graphs: [graph as Graph] });
  const run = await box.start(graph as Graph, input);
  const view = await run.settled();
  return { box, run, view };
}

async function speakersIn(run: Pick<RunHandle, 'state'>): Promise<string[]> {
  const { turns } = await run.state();
  return (turns as readonly Turn[]).map(({ speaker }) => speaker);
}

describe('a conversation', () => {
  it('goes on in turn until a limit ends it, with what was said, the reason, and every choice on record', async () => {
    const { run, view } = await held(talkGraph({ maxTurns: 3 }));
    expect(view).toMatchObject({
      status: 'completed',
      output: {
        code: 'turnLimit',
        reason: '3 turns are taken, and no more than 3 are allowed.',
        turns: [
          { turn: 1, speaker: 'ada', content: 'ada has idea number 1' },
          { turn: 2, speaker: 'bob', content: 'bob has idea number 1' },
          { turn: 3, speaker: 'ada', content: 'ada has idea number 2' },
        ],
      },
    });
    expect(await eventsOf(run, 'decision.made')).toMatchObject([
      { point: 'speaker', chosen: 'ada', options: ['ada', 'bob'], rejected: [{ option: 'bob', code: 'notNext' }] },
      { point: 'speaker', chosen: 'bob', decidedBy: 'rule:roundRobin' },
      { point: 'speaker', chosen: 'ada' },
      { point: 'end', chosen: 'turnLimit', decidedBy: 'rule:turnLimit', context: { turns: [3] } },
    ]);
  });

  it('has as many turns as it may have, also beyond the limits of other graphs', async () => {
    const { view } = await held(talkGraph({ maxTurns: 90, noProgress: false, repeated: false }));
    expect(view).toMatchObject({ status: 'completed', output: { code: 'turnLimit' } });
  });

  it('is ended by an expression over what was said last or ever', async () => {
    const last = await held(talkGraph({ until: "output.contains('number 2')" }));
    expect(last.view).toMatchObject({ output: { code: 'until', reason: 'The condition to end holds after turn 3.' } });
    const ever = await held(talkGraph({ until: "state.turns.exists(said, said.speaker == 'bob')" }));
    expect(ever.view).toMatchObject({ output: { code: 'until', turns: [{}, { speaker: 'bob' }] } });
  });

  it('is ended where its speakers go round in circles', async () => {
    const lines = { ada: Array(9).fill('Use tabs.'), bob: Array(9).fill('Use spaces.') };
    const { view } = await held(talkGraph({}, lines));
    expect(view).toMatchObject({ output: { code: 'repeated', reason: 'Turns 1, 3 and 5 say the same.' } });
  });

  it('does not compile with a state, a speaker or an expression that is wrong, and says so at once', () => {
    expect(() => talkGraph({ until: 'state.turn > 3' })).toThrow(/InvalidGraph|ExpressionType/);
    expect(() => talkGraph({ speakers: talk => ({ person: talk.step(() => 'hello') }) })).toThrow(/with\/speakers\/0/);
    expect(() => talkGraph({ agreement: 1 })).toThrow(/with\/agreement/);
  });
});

describe('the choice of the next speaker', () => {
  it('is an expression, where one is given', async () => {
    const { run } = await held(talkGraph({ choose: "state.turns.size() < 2 ? 'bob' : 'ada'", maxTurns: 3 }));
    expect(await speakersIn(run)).toEqual(['bob', 'bob', 'ada']);
    expect(await eventsOf(run, 'decision.made')).toMatchObject([{ decidedBy: 'rule:expression' }, {}, {}, {}]);
  });

  it('that names nobody fails the run, and tells the names there are', async () => {
    const { view } = await held(talkGraph({ choose: "'carol'" }));
    expect(view).toMatchObject({ status: 'failed', error: { code: 'UnknownSpeaker' } });
  });

  it('is made by an agent, and asked of it only while the conversation goes on', async () => {
    const models = scriptedModel(['{"speaker":"bob","why":"he knows"}', '{"speaker":"ada","why":"his turn"}']);
    const graph = talkGraph({
      maxTurns: 2,
      choose: talk =>
        talk.agent({
          model: 'test/one',
          contract: { version: '1.0', agent_name: 'chooser', allowed_tools: [] },
          prompt: ({ state }) => `Who is next?\n${transcript(state.turns)}`,
          output: z.object({ speaker: z.enum(['ada', 'bob']), why: z.string() }),
          decides: { point: 'speaker', chosen: 'output.speaker', options: ['ada', 'bob'], reason: 'output.why' },
        }),
    });
    const box = testbox({ graphs: [graph], models });
    const run = await box.start(graph, {});
    await run.settled();
    expect(await speakersIn(run)).toEqual(['bob', 'ada']);
    expect((await eventsOf(run, 'decision.made')).filter(({ point }) => point === 'speaker')).toMatchObject([
      { chosen: 'bob', options: ['ada', 'bob'], rejected: [{ option: 'ada' }], reason: 'he knows' },
      { chosen: 'ada' },
    ]);
    expect(models.left).toBe(0);
    expect(models.requests[1]!.messages[0]).toMatchObject({ text: 'Who is next?\n1. bob: bob has idea number 1' });
  });

  it('passes over who has nothing to say', async () => {
    const graph = talkGraph({
      speakers: talk => ({
        ada: talk.step(() => skipped('nothing to add')),
        bob: talk.step(({ node }) => `idea ${node.visit}`),
      }),
      maxTurns: 2,
      noProgress: false,
    });
    const { run } = await held(graph);
    expect(await speakersIn(run)).toEqual(['bob', 'bob']);
  });
});

describe('what a speaker says', () => {
  const contract = { version: '1.0', agent_name: 'reviewer', allowed_tools: [] };
  const reviewers = (says: readonly string[]) => {
    const models = scriptedModel(says);
    const graph = talkGraph({
      maxTurns: 2,
      speakers: talk => ({
        ada: talk.agent({
          model: 'test/ada',
          contract,
          prompt: 'Review.',
          maxRepairs: 1,
          output: z.object({ finding: z.string() }),
        }),
        bob: talk.agent({
          model: 'test/bob',
          contract,
          prompt: ({ state }) => `Judge.\n${transcript(state.turns)}`,
          output: z.object({ verdict: z.enum(['merge', 'mend']) }),
        }),
      }),
    });
    return { models, box: testbox({ graphs: [graph], models }), graph };
  };

  it('has the form of this speaker in every turn; a wrong one is mended before anybody hears it', async () => {
    const { models, box, graph } = reviewers(['No limit!', '{"finding":"no limit"}', '{"verdict":"mend"}']);
    const view = await (await box.start(graph, {})).settled();
    expect(view).toMatchObject({
      output: { turns: [{ content: { finding: 'no limit' } }, { content: { verdict: 'mend' } }] },
    });
    expect(JSON.stringify(models.requests[2])).not.toContain('No limit!');
  });

  it('is no turn where it cannot be mended: the run fails there, and what was said before stays', async () => {
    const { models, box, graph } = reviewers(['{"finding":"no limit"}', 'a', 'b', 'c']);
    const run = await box.start(graph, {});
    expect(await run.settled()).toMatchObject({ status: 'failed', error: { code: 'ReplyInvalid' } });
    expect(await run.state()).toMatchObject({ turns: [{ speaker: 'ada' }] });
    expect(models.left).toBe(0);
  });
});

describe('a person', () => {
  it('is heard at the next turn, also when the word came before: all in order, and says who is next', async () => {
    const graph = talkGraph({ maxTurns: 4, person: { pause: '1m' } });
    const box = testbox({ graphs: [graph] });
    const run = await box.start(graph, {});
    await run.settled();
    await box.advance('1m');
    await run.signal('speak', { content: 'What of tests?', next: 'ada' }, { as: 'user:finn' });
    await box.settle();
    await run.signal('speak', 'And of docs?', { as: 'user:finn' });
    await box.advance('10m');
    const { turns } = await run.state();
    expect(await speakersIn(run)).toEqual(['ada', 'person', 'ada', 'person', 'bob', 'ada']);
    expect(turns).toMatchObject([
      {},
      { turn: 2, content: 'What of tests?' },
      {},
      { turn: 4, content: 'And of docs?' },
      {},
      {},
    ]);
    const named = (await eventsOf(run, 'decision.made')).filter(({ decidedBy }) => decidedBy === 'rule:person');
    expect(named).toMatchObject([{ point: 'speaker', chosen: 'ada', rejected: [{ option: 'bob' }] }]);
  });

  it('who names somebody else is heard, and told on record that this is no speaker', async () => {
    const { run, box } = await held(talkGraph({ maxTurns: 1, person: { pause: '1m' } }));
    await run.signal('speak', { content: 'Carol?', next: 'carol' }, { as: 'user:finn' });
    await box.settle();
    expect((await eventsOf(run, 'decision.made'))[0]).toMatchObject({
      chosen: 'ada',
      decidedBy: 'rule:roundRobin',
      rejected: [{ option: 'bob' }, { option: 'carol', code: 'unknownSpeaker' }],
    });
  });

  it('ends it, and is named with the reason', async () => {
    const graph = talkGraph({ person: { pause: '1m' } });
    const box = testbox({ graphs: [graph] });
    const run = await box.start(graph, {});
    await run.settled();
    await run.signal('speak', { content: 'Enough.', end: 'I decide.' }, { as: 'user:finn' });
    expect(await run.settled()).toMatchObject({
      status: 'completed',
      output: { code: 'person', reason: 'I decide.', turns: [{ speaker: 'person', content: 'Enough.' }] },
    });
    expect(await eventsOf(run, 'decision.made')).toMatchObject([
      { point: 'end', chosen: 'person', decidedBy: 'rule:person' },
    ]);
  });

  it('is asked where an expression says so, speaks or lets them go on, or ends it', async () => {
    const graph = talkGraph({
      person: { ask: 'state.turns.size() in [1, 3]', title: 'Anything?', assign: 'user:finn' },
    });
    const box = testbox({ graphs: [graph] });
    const run = await box.start(graph, {});
    const asked = await run.settled();
    expect(asked.requests).toMatchObject([{ title: 'Anything?' }]);
    const answered = { values: { say: 'Look at line 3.', next: 'ada' }, as: 'user:finn' } as const;
    await box.answer(asked.requests[0]!.id, answered);
    const again = await run.settled();
    await box.answer(again.requests[0]!.id, { action: 'reject', note: 'Merge it.', as: 'user:finn' });
    expect(await run.settled()).toMatchObject({
      output: { code: 'person', reason: 'Merge it.', turns: [{}, { speaker: 'person' }, { speaker: 'ada' }] },
    });
    expect((await eventsOf(run, 'decision.made')).at(-1)).toMatchObject({
      chosen: 'person',
      attributes: { by: 'user:finn' },
    });
  });

  it('is not asked between two turns where one has just spoken', async () => {
    const graph = talkGraph({ person: { pause: '1m', ask: 'true' } });
    const box = testbox({ graphs: [graph] });
    const run = await box.start(graph, {});
    await run.settled();
    await run.signal('speak', 'Go on.', { as: 'user:finn' });
    await box.settle();
    expect(await run.view()).toMatchObject({ status: 'suspended', requests: [] });
    expect(await speakersIn(run)).toEqual(['person', 'ada']);
    await box.advance('1m');
    expect((await run.settled()).requests).toHaveLength(1);
  });

  it('is heard once, also when the process dies between two turns', async () => {
    const graph = talkGraph({ maxTurns: 2, person: { pause: '1m' } });
    const box = testbox({ graphs: [graph] });
    const { id } = await box.start(graph, {});
    await box.settle();
    await box.get(id).signal('speak', 'Hello.', { as: 'user:finn' });
    const next = await box.restart();
    await next.advance('10m');
    expect(await next.get(id).view()).toMatchObject({ status: 'completed', output: { code: 'turnLimit' } });
    expect(await speakersIn(next.get(id))).toEqual(['person', 'ada', 'bob']);
    expect(await next.get(id).reExecute()).toMatchObject({ same: true });
  });
});

describe('a conversation inside another graph', () => {
  it('is a node whose output says why it ended, by which routes go on', async () => {
    const desk = defineGraph({ name: 'desk', input: z.object({ topic: z.string() }) });
    const graph = desk.build({
      entry: 'talk',
      nodes: {
        talk: desk.subgraph(talkGraph({ maxTurns: 110, noProgress: false, repeated: false }), {
          input: { topic: 'input.topic' },
        }),
        merge: desk.transform({ output: { merged: 'true' } }),
        escalate: desk.transform({ output: { why: 'nodes.talk.output.reason' } }),
      },
      routes: { talk: [{ to: 'merge', when: "output.code == 'until'" }, { to: 'escalate' }] },
    });
    const { view } = await held(graph as never, { topic: 'x' });
    expect(view).toMatchObject({ output: { why: '110 turns are taken, and no more than 110 are allowed.' } });
  });
});

describe('a conversation in a graph file', () => {
  it('is a node of type moderator between the turns of any speakers', async () => {
    const types = [moderatorType];
    const { definition, faults } = loadGraph(FILE, { types: declarationsOf(types) });
    expect(faults).toEqual([]);
    const { run, view } = await held(graphFromDefinition(definition!, types) as never);
    expect(view).toMatchObject({ status: 'completed', output: { code: 'agreementLoop' } });
    expect(await run.state()).toMatchObject({ turns: { length: 3 } });
  });

  it.each([
    ['without its expressions', ''],
    ['with others', '    input: { until: "false", turns: state.turns }\n'],
  ])('fails %s, and says what it takes', async (_, input) => {
    const text = FILE.replace('    input: { until: "state.turns.size() > 9" }\n', input);
    const { definition } = loadGraph(text, { types: declarationsOf([moderatorType]) });
    const { view } = await held(graphFromDefinition(definition!, [moderatorType]) as never);
    expect(view).toMatchObject({ status: 'failed', error: { code: 'InvalidInput' } });
  });
});

const FILE = `
name: talk
entry: moderator
input: { type: object, properties: {} }
state:
  type: object
  properties:
    turns: { type: array, items: { type: object }, reducer: append }
output: { code: nodes.moderator.output.code }
nodes:
  moderator:
    type: moderator
    timeout: 30s
    with: { speakers: [ada, bob], maxTurns: 9 }
    input: { until: "state.turns.size() > 9" }
    update: { turns: output.said }
  ada:
    type: transform
    output: { text: "'Yes.'" }
    update: { turns: "[{'turn': state.turns.size() + 1, 'speaker': 'ada', 'content': output}]" }
  bob:
    type: transform
    output: { text: "'I agree.'" }
    update: { turns: "[{'turn': state.turns.size() + 1, 'speaker': 'bob', 'content': output}]" }
routes:
  moderator:
    - { to: ada, when: output.next == 'ada' }
    - { to: bob, when: output.next == 'bob' }
    - { to: end }
  ada: [{ to: moderator }]
  bob: [{ to: moderator }]
`;
