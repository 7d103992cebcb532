import { isSignalboxError } from '@signalbox/kernel';
import { describe, expect, it } from 'vitest';
import { blame } from './blame.ts';
import { decisions } from './decisions.ts';
import { eventRows } from './event-rows.ts';
import { nodeView, nodeVisits } from './node-view.ts';
import { runView } from './run-view.ts';
import { stateOf } from './state-at.ts';
import { buildLog, FINN, type LogBuilder } from './testing/build-log.ts';
import { DESK, FORK, NESTED } from './testing/graphs.ts';
import { timeline } from './timeline.ts';
import { why, whyText } from './why.ts';

const lowConfidence = { intent: 'faq', confidence: 0.4 };

async function all<Row>(rows: AsyncIterable<Row>): Promise<Row[]> {
  const list: Row[] = [];
  for await (const row of rows) list.push(row);
  return list;
}

function answered(): LogBuilder {
  const log = buildLog(DESK, { message: '退款' });
  log.succeed('classify', lowConfidence, [{ trail: ['classify'], spent: 2 }]);
  return log.answer('approve', { queue: 'billing' }).succeed('reply', 'done', [{ trail: ['reply'], spent: -0.5 }]);
}

describe('the timeline', () => {
  it('says who did what when, with one row for each key of the state that was written', async () => {
    const rows = await all(timeline(answered().commits));
    expect(rows[0]).toMatchObject({
      seq: 1,
      at: '2026-05-04T09:00:00.000Z',
      actor: 'service:worker',
      what: 'run.started',
      node: null,
      text: 'starts support-desk with {"message":"退款"}',
    });
    expect(rows.filter(row => row.what === 'state.changed').map(row => [row.actor, row.text])).toEqual([
      ['node:classify', 'trail + ["classify"] (by classify)'],
      ['node:classify', 'spent + 2 (by classify)'],
      ['node:handoff', 'queue = "billing" (by handoff)'],
      ['node:reply', 'trail + ["reply"] (by reply)'],
      ['node:reply', 'spent - 0.5 (by reply)'],
    ]);
    expect(rows.find(row => row.what === 'run.resumed')?.text).toBe('goes on');
    expect(rows.find(row => row.what === 'request.answered')).toMatchObject({
      actor: 'user:finn',
      text: 'answer: edit {"queue":"billing"}',
    });
  });

  it('cuts values to 80 code points and never splits one', async () => {
    const log = buildLog(DESK, { message: '😀'.repeat(200) });
    const [row] = await all(timeline(log.commits));
    const value = row!.text.slice('starts support-desk with '.length);
    expect([...value]).toHaveLength(80);
    expect(Buffer.from(value).toString()).toBe(value);
    expect(value.endsWith('😀…')).toBe(true);
  });

  it('shows no character that would move a terminal, whoever wrote it', async () => {
    const log = buildLog(DESK, { message: 'a\u001b[2J\u202eb\nc' });
    log.send({ type: 'note', text: 'x\u001b[31m\ny\u0085' });
    const text = (await all(timeline(log.commits))).map(row => row.text).join('');
    expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    expect(text).toContain('x\\u{1b}[31m y');
  });

  it('tells events of newer versions by their data', async () => {
    const log = buildLog(DESK, { message: 'Hi' });
    const newer = { ...log.commits[0]!, firstSeq: 9, events: [{ type: 'moon.risen', data: { phase: 'full' } }] };
    const rows = await all(timeline([...log.commits, newer]));
    expect(rows.at(-1)).toMatchObject({ seq: 9, what: 'moon.risen', text: '{"phase":"full"}' });
    expect(rows.every(row => row.text !== '')).toBe(true);
  });
});

describe('event rows', () => {
  it('have ids of stream and sequence number and carry all data', async () => {
    const { commits } = answered();
    const rows = await all(eventRows(commits));
    expect(rows.map(row => row.seq)).toEqual(rows.map((_, index) => index + 1));
    expect(rows[0]!.id).toBe('run_1.1');
    expect(rows.find(row => row.type === 'request.answered')).toMatchObject({ actor: FINN, v: 1, cause: 'req-1' });
    expect(rows.map(row => row.data)).toEqual(commits.flatMap(commit => commit.events.map(event => event.data)));
  });
});

describe('blame', () => {
  it('gives every change of a key with its old and new value, newest last', async () => {
    const rows = await all(blame(answered().commits, 'spent'));
    expect(rows).toMatchObject([
      { what: 'run.started', source: 'run.started', op: 'stand', new: 0 },
      { what: 'state.changed', source: 'classify', op: 'increment', old: 0, new: 2 },
      { what: 'state.changed', source: 'reply', op: 'increment', old: 2, new: 1.5 },
    ]);
    expect('old' in rows[0]!).toBe(false);
  });

  it('reads a place inside a value, however it is written', async () => {
    const { commits } = answered();
    for (const path of ['trail/1', 'trail.1', '/trail/1']) {
      const rows = await all(blame(commits, path));
      expect(rows.map(row => [row.source, 'old' in row, row.new])).toEqual([['reply', false, 'reply']]);
    }
  });

  it('tells several writes of one event apart, and leaves out what changed nothing', async () => {
    const log = buildLog(DESK, { message: 'Hi' });
    log.succeed('classify', lowConfidence, [
      { notes: { a: 1 } },
      { trail: ['x'] },
      { notes: { a: 2, b: 1 } },
      { notes: { b: 1 } },
    ]);
    expect((await all(blame(log.commits, 'notes'))).map(row => row.new)).toEqual([{}, { a: 1 }, { a: 2, b: 1 }]);
    expect((await all(blame(log.commits, 'notes.a'))).map(row => [row.old, row.new])).toEqual([
      [undefined, 1],
      [1, 2],
    ]);
  });

  it('names who edited from outside, and tells absent from null', async () => {
    const log = buildLog(DESK, { message: 'Hi' });
    log.send({ type: 'edit', set: { queue: 'vip' }, reason: 'asked for' }, FINN);
    log.send({ type: 'edit', set: {}, remove: ['queue'], reason: 'undo' }, FINN);
    const rows = await all(blame(log.commits, 'queue'));
    expect(rows.map(row => ({ ...row }))).toMatchObject([
      { actor: FINN, source: 'edit:finn', op: 'set', new: 'vip' },
      { actor: FINN, source: 'edit:finn', op: 'remove', old: 'vip' },
    ]);
    expect('new' in rows[1]!).toBe(false);
  });

  it('keeps branches apart: a branch has its own changes, the run gets them at the join', async () => {
    const log = buildLog(FORK, {})
      .succeed('a', 1)
      .succeed('b', 1, [{ total: 3 }])
      .succeed('c', 1)
      .succeed('d', 1, [{ total: 4 }]);
    const root = await all(blame(log.commits, 'total'));
    expect(root.map(row => [row.source, row.old, row.new])).toEqual([
      ['run.started', undefined, 0],
      ['b', 0, 3],
      ['d', 3, 7],
    ]);
    const branch = await all(blame(log.commits, 'total', 'a#1.0'));
    expect(branch.map(row => row.new)).toEqual([0, 3, undefined]);
  });

  it('tells a rollback, with what stands again', async () => {
    const log = buildLog(DESK, { message: 'Hi' });
    const past = log.run();
    log.succeed('classify', lowConfidence, [{ spent: 5 }]);
    log.send({ type: 'rollback', to: past.seq, past, effects: 'ask', reason: 'wrong' }, FINN);
    const rows = await all(blame(log.commits, 'spent'));
    expect(rows.at(-1)).toMatchObject({ what: 'run.rolledBack', op: 'stand', old: 5, new: 0, actor: FINN });
  });

  it('refuses a path that names nothing', async () => {
    const refusal = await all(blame([], '')).catch((error: unknown) => error);
    expect(isSignalboxError(refusal) && refusal.code).toBe('InvalidPath');
  });
});

describe('decisions', () => {
  it('lists every recorded choice with the guards that were looked at and the words of the definition', async () => {
    const log = answered();
    const rows = await all(decisions(log.commits, version => (version === log.program.hash ? log.program : undefined)));
    expect(rows.map(row => [row.kind, row.node])).toEqual([
      ['decision', 'classify'],
      ['route', 'classify'],
      ['route', 'handoff'],
      ['route', 'reply'],
    ]);
    expect(rows[0]).toMatchObject({
      point: 'intent',
      chosen: 'faq',
      confidence: 0.4,
      rejected: [{ option: 'refund' }],
    });
    expect(rows[1]).toMatchObject({
      to: ['handoff'],
      because: 'low confidence',
      when: 'output.confidence < 0.6',
      looked: [{ route: 0, held: true, to: ['handoff'], values: { 'output.confidence': 0.4 } }],
    });
  });

  it('finds the words of routes inside subgraphs', async () => {
    const log = buildLog(NESTED, { items: [] }).succeed('check', 1);
    const rows = await all(decisions(log.commits, () => log.program));
    expect(rows.find(row => row.node === 'check')).toMatchObject({ because: 'it is for sale' });
  });
});

describe('why', () => {
  it('tells, newest first, what led to an open question', async () => {
    const log = buildLog(DESK, { message: 'Hi' }).succeed('classify', lowConfidence);
    const told = await why(log.commits, { programOf: () => log.program });
    const [request] = log.run().requests.values();
    expect(told.now).toBe(
      `suspended: waits for an answer of role:lead to "Who takes: Hi" (${request!.id}, at handoff) until 2026-05-04T11:00:00.001Z`,
    );
    expect(told.rows.map(row => row.what)).toEqual([
      'run.suspended',
      'request.opened',
      'route.decided',
      'decision.made',
      'run.started',
    ]);
    expect(told.rows[2]!.text).toBe(
      'classify (success) → handoff, because low confidence; output.confidence < 0.6 [output.confidence = 0.4]',
    );
    expect(whyText(told).split('\n')[0]).toBe(`run_1 ${told.now}`);
  });

  it('tells the error and the attempts before it', async () => {
    const log = buildLog(DESK, { message: 'Hi' }).succeed('classify', { intent: 'faq', confidence: 0.9 });
    log.fail('faq', { code: 'Down', message: 'first' }).wait(5_000).send({ type: 'tick' });
    log.fail('faq', { code: 'Down', message: 'second' });
    const told = await why(log.commits, { programOf: () => log.program });
    expect(told.now).toBe('failed: Down: second');
    const texts = told.rows.map(row => row.text);
    expect(texts[0]).toBe('failed: Down: second');
    expect(texts).toContain('faq is tried again (attempt 2) at 2026-05-04T09:00:02.002Z: Down: first');
    expect(texts).toContain(
      'classify (success) → faq; output.intent == \'faq\' [output.intent = "faq"]; not output.confidence < 0.6 [output.confidence = 0.9]',
    );
  });

  it('keeps as many rows as asked for and counts the others', async () => {
    const log = answered();
    const whole = await why(log.commits);
    const short = await why(log.commits, { limit: 2 });
    expect(short.rows).toEqual(whole.rows.slice(0, 2));
    expect(short.earlier).toBe(whole.rows.length - 2);
  });
});

describe('a node of a run', () => {
  it('is shown with what it got, what it gave and its attempts', async () => {
    const log = buildLog(DESK, { message: 'Hi' }).succeed('classify', { intent: 'faq', confidence: 0.9 });
    log.fail('faq', { code: 'Down', message: 'no' });
    expect(await nodeView(log.commits, 'faq')).toMatchObject({
      status: 'suspended',
      attempts: 2,
      error: { code: 'Down' },
    });
    log.wait(5_000).send({ type: 'tick' }).succeed('faq', 'x');
    expect(await nodeView(log.commits, 'faq')).toMatchObject({
      status: 'success',
      attempts: 2,
      input: { intent: 'faq', confidence: 0.9 },
      output: 'x',
      startedAt: '2026-05-04T09:00:00.001Z',
    });
    expect(await nodeView(log.commits, 'handoff')).toBeUndefined();
  });

  it('waits while its question is open', async () => {
    const log = buildLog(DESK, { message: 'Hi' }).succeed('classify', lowConfidence);
    expect(await nodeView(log.commits, 'handoff')).toMatchObject({ status: 'suspended' });
    log.answer('approve', { queue: 'billing' });
    expect(await nodeView(log.commits, 'handoff')).toMatchObject({ status: 'success', output: { action: 'edit' } });
  });

  it('is listed once for each token', async () => {
    const log = buildLog(NESTED, { items: [7, 8] })
      .succeed('body', 'a')
      .succeed('body', 'b');
    const visits = await all(nodeVisits(log.commits, 'body'));
    expect(visits.map(visit => [visit.token, visit.input, visit.output])).toEqual([
      ['each#1*.0', 7, 'a'],
      ['each#1*.1', 8, 'b'],
    ]);
  });
});

describe('the view of a run', () => {
  it('has the open question as a program needs it', () => {
    const log = buildLog(DESK, { message: 'Hi' }, { key: 'mail-1' }).succeed('classify', lowConfidence);
    const view = runView(log.run(), log.program);
    expect(view).toMatchObject({
      runId: 'run_1',
      graph: 'support-desk',
      version: log.program.hash,
      key: 'mail-1',
      status: 'suspended',
      reason: 'waiting',
      startedAt: '2026-05-04T09:00:00.000Z',
      requests: [
        {
          kind: 'form',
          title: 'Who takes: Hi',
          message: 'One of the queues.',
          purpose: 'routes the case to a queue',
          proposal: { values: { queue: 'oncall' }, confidence: 0.4 },
          assignees: ['role:lead'],
          deadline: '2026-05-04T11:00:00.001Z',
          node: 'handoff',
          token: '',
          about: 'ask',
        },
      ],
    });
    expect(view.requests[0]!.fields.map(field => [field.name, field.type, field.required])).toEqual([
      ['queue', 'select', true],
      ['note', 'textarea', false],
    ]);
    expect('output' in view || 'error' in view || 'summary' in view.requests[0]!).toBe(false);
  });

  it('is a union on status: output when completed, error when failed', () => {
    const done = answered();
    const completed = runView(done.run(), done.program);
    expect(completed.status === 'completed' && completed.output).toBe('done');
    expect(completed.requests).toEqual([]);
    const log = buildLog(FORK, {}).fail('a', { code: 'Down', message: 'no' });
    const failed = runView(log.run(), log.program);
    expect(failed.status === 'failed' && failed.error).toEqual({ code: 'Down', message: 'no' });
    expect('output' in failed).toBe(false);
  });

  it('shows what the log holds of a question when the program is not at hand', () => {
    const log = buildLog(DESK, { message: 'Hi' }).succeed('classify', lowConfidence);
    expect(runView(log.run()).requests).toMatchObject([
      { title: 'Who takes: Hi', fields: [], assignees: ['role:lead'] },
    ]);
  });

  it('has the state of every open branch beside the state of the run', () => {
    const log = buildLog(FORK, {})
      .succeed('a', 1)
      .succeed('b', 1, [{ total: 3 }]);
    expect(stateOf(log.run())).toMatchObject({
      runId: 'run_1',
      state: { total: 0 },
      scopes: { 'a#1.0': { total: 3 }, 'a#1.1': { total: 0 } },
    });
  });
});
