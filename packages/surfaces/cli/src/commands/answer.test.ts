import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { main } from '../main.ts';
import type { ErrorJson, RunJson } from '../testing/documents.ts';
import { DESK } from '../testing/graphs.ts';
import { BACKSPACE, CTRL_C, CTRL_D, CTRL_X, Desk, DOWN, ENTER, SPACE, Workbench } from '../testing/workbench.ts';

let bench: Workbench;
let runId: string;
let request: string;

beforeAll(() => {
  bench = new Workbench();
  bench.file('desk.yaml', DESK);
});
afterAll(() => bench.remove());

async function begin(file = 'desk.yaml'): Promise<void> {
  const { json } = await bench.json<RunJson>('run', file, '--input', '{"message":"hi"}');
  runId = json.runId;
  request = json.requests[0]!.id;
}

beforeEach(() => begin());

describe('answer', () => {
  it('goes on with the run and tells how it ended', async () => {
    const { code, json } = await bench.json<RunJson>(
      'answer',
      request,
      '--values',
      '{"amount":19.5}',
      '--as',
      'user:finn',
    );
    expect(code).toBe(0);
    expect(json).toMatchObject({
      runId,
      status: 'completed',
      output: { reply: 'refunded 19.5' },
      error: null,
      requests: [],
    });
    const { json: log } = await bench.json<{ events: object[] }>('events', runId);
    expect(log.events).toContainEqual(
      expect.objectContaining({
        type: 'request.answered',
        data: expect.objectContaining({ by: { kind: 'user', id: 'finn' }, action: 'edit' }),
      }),
    );
  });

  it('names every field that is wrong, with 2, and the question stays open', async () => {
    const { code, json } = await bench.json<ErrorJson>('answer', request, '--values', '{"amount":900,"noet":"x"}');
    expect(code).toBe(2);
    expect(json.error).toMatchObject({
      code: 'InvalidAnswer',
      details: {
        issues: [
          { pointer: '/amount', code: 'maximum' },
          { pointer: '/noet', code: 'unknownField' },
        ],
      },
    });
    expect((await bench.json<{ requests: object[] }>('inbox')).json.requests).toContainEqual(
      expect.objectContaining({ id: request }),
    );
  });

  it('without values and without a terminal is wrong usage', async () => {
    expect(await bench.json('answer', request)).toMatchObject({ code: 2, json: { error: { code: 'NotInteractive' } } });
  });

  it('may name the run where it has one open question', async () => {
    expect(await bench.json('answer', runId, '--action', 'approve')).toMatchObject({
      code: 0,
      json: { output: { reply: 'refunded 20' } },
    });
  });

  it('a rejection leads where the graph says, here to a failed run: 1', async () => {
    const { code, json } = await bench.json<RunJson>('answer', request, '--action', 'reject', '--note', 'too much');
    expect({ code, error: json.error?.code }).toEqual({ code: 1, error: 'Refused' });
  });

  it('is accepted once: another answer is refused with 1, the same key and content get the stored outcome', async () => {
    const answer = (amount: number, key: string) =>
      bench.json<RunJson & ErrorJson>('answer', request, '--values', `{"amount":${amount}}`, '--key', key);
    expect((await answer(5, 'k')).code).toBe(0);
    expect(await answer(5, 'k')).toMatchObject({ code: 0, json: { status: 'completed' } });
    expect(await answer(6, 'k')).toMatchObject({ code: 1, json: { error: { code: 'AlreadyAnswered' } } });
    expect(await answer(6, 'other')).toMatchObject({ code: 1, json: { error: { code: 'AlreadyAnswered' } } });
  });

  it('that comes too late is told whose the one is that stands, when it came and what it says', async () => {
    await bench.run('answer', request, '--values', '{"amount":5}', '--as', 'user:finn', '--key', 'k');
    const late = await bench.run('answer', request, '--action', 'reject', '--as', 'user:mia');
    expect(late.stderr).toMatch(
      /AlreadyAnswered: .* edit by user:finn at \d{4}-\d\d-\d\dT[\d:.]+Z; that answer stands/,
    );
    const { json } = await bench.json<ErrorJson>('answer', request, '--values', '{"amount":6}', '--key', 'k');
    expect(json.error).toMatchObject({
      code: 'AlreadyAnswered',
      message: expect.stringContaining('edit by user:finn at '),
      details: { request, action: 'edit', by: { kind: 'user', id: 'finn' }, at: expect.any(String) },
    });
  });

  it('of a question that is not there is wrong usage', async () => {
    expect(await bench.json('answer', 'req_none', '--action', 'approve')).toMatchObject({
      code: 2,
      json: { error: { code: 'UnknownRequest' } },
    });
  });
});

const EVERYTHING = `name: everything
entry: q
nodes:
  q:
    type: ask
    request:
      kind: form
      title: Everything
      fields:
        - { name: text, type: text, label: Text, min: 3 }
        - { name: long, type: textarea, label: Long }
        - { name: pick, type: select, label: Pick, options: [red, green], required: true }
        - { name: radio, type: radio, label: Radio, options: [1, 2] }
        - { name: many, type: multiselect, label: Many, options: [a, b, c], min: 1, required: true }
        - { name: boxes, type: checkbox, label: Boxes, options: [x, y] }
        - { name: box, type: checkbox, label: Single }
        - { name: num, type: number, label: Num, min: 0, step: 0.5 }
        - { name: slide, type: slider, label: Slide, min: 0, max: 10, default: 5 }
        - { name: day, type: date, label: Day }
        - { name: when, type: datetime, label: When }
        - { name: sure, type: boolean, label: Sure, required: true }
        - { name: why, type: text, label: Why, required: true, showIf: "!values.sure" }
        - { name: never, type: text, label: Never, required: true, showIf: values.sure }
`;
const GATE = `name: gate
entry: q
nodes:
  q: { type: ask, request: { kind: confirmation, title: Pay 20 €? } }
`;

interface Answered {
  readonly output: { readonly action: string; readonly values: unknown };
}

/** Answers at a terminal, and gives what came of it. */
function sit(desk: Desk, ...argv: string[]): Promise<number> {
  const { stdin, stdout } = desk;
  return main(['answer', ...argv], { stdin, stdout, stderr: stdout, env: { TERM: 'dumb' }, cwd: bench.folder });
}

describe('the form in a terminal', () => {
  it('asks for every type of field, and takes only what is valid', async () => {
    bench.file('everything.yaml', EVERYTHING);
    await begin('everything.yaml');
    const desk = new Desk();
    const code = sit(desk, request);
    await desk.answer('? Text', 'ab', ENTER);
    await desk.answer('must have at least 3 characters', 'c', ENTER);
    await desk.answer('? Long', 'one\rtwo\r\rthree', CTRL_D);
    await desk.answer('? Pick', DOWN, ENTER);
    await desk.answer('? Radio', DOWN, DOWN, ENTER);
    await desk.answer('? Many', ENTER);
    await desk.answer('is required', SPACE, ENTER);
    await desk.answer('? Boxes', CTRL_X, ENTER);
    await desk.answer('? Single', 'yes', ENTER);
    await desk.answer('? Num', '1,5', ENTER);
    await desk.answer('must be a number', ...BACKSPACE.repeat(3), '1.3', ENTER);
    await desk.answer('must be a multiple of 0.5', BACKSPACE, '5', ENTER);
    await desk.answer('? Slide', ENTER);
    await desk.answer('? Day', '2026-02-30', ENTER);
    await desk.answer('must be a date', BACKSPACE, BACKSPACE, '28', ENTER);
    await desk.answer('? When', '2026-03-04T09:00', ENTER);
    await desk.answer('? Sure', DOWN, ENTER);
    await desk.answer('? Why', 'because', ENTER);
    await desk.answer('Send', ENTER);
    expect(await code).toBe(0);
    const { json } = await bench.json<Answered>('show', runId);
    expect(json.output).toMatchObject({ action: 'approve' });
    expect(json.output.values).toEqual({
      text: 'abc',
      long: 'one\ntwo\n\nthree',
      pick: 'green',
      radio: 2,
      many: ['a'],
      boxes: [],
      box: true,
      num: 1.5,
      slide: 5,
      day: '2026-02-28',
      when: '2026-03-04T09:00:00.000Z',
      sure: false,
      why: 'because',
    });
  });

  it('offers what is proposed, and lets it be changed before it is sent', async () => {
    const desk = new Desk();
    const code = sit(desk, request);
    await desk.answer('Amount', ENTER);
    await desk.answer('Note', ENTER);
    await desk.answer('Send', DOWN, ENTER);
    await desk.answer('Amount', ...BACKSPACE.repeat(2), '7', ENTER);
    await desk.answer('Note', ENTER);
    await desk.answer('Send', ENTER);
    expect(await code).toBe(0);
    expect((await bench.json<Answered>('show', runId)).json.output).toEqual({ reply: 'refunded 7' });
  });

  it('left open or interrupted sends nothing', async () => {
    const desk = new Desk();
    const left = sit(desk, request);
    await desk.answer('Amount', ENTER);
    await desk.answer('Note', ENTER);
    await desk.answer('Send', 'leave', ENTER);
    expect(await left).toBe(10);
    const again = new Desk();
    const interrupted = sit(again, request);
    await again.answer('Amount', CTRL_C);
    expect(await interrupted).toBe(130);
    expect((await bench.json<RunJson>('show', runId)).json).toMatchObject({
      status: 'suspended',
      requests: [{ id: request }],
    });
  });

  it('of a confirmation is one choice', async () => {
    bench.file('gate.yaml', GATE);
    await begin('gate.yaml');
    const desk = new Desk();
    const code = sit(desk, request);
    await desk.answer('Approve', DOWN, ENTER);
    await desk.answer('? Note', '太贵', ENTER);
    expect(await code).toBe(0);
    expect((await bench.json<Answered>('show', runId)).json.output).toMatchObject({ action: 'reject', note: '太贵' });
  });
});
