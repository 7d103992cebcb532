import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ErrorJson, RunJson } from '../testing/documents.ts';
import { Workbench } from '../testing/workbench.ts';

const TRIP = `name: trip
entry: where
nodes:
  where:
    type: ask
    request: { kind: form, title: Where to?, fields: [{ name: city, type: text, label: City, required: true }] }
  nights:
    type: ask
    request: { kind: form, title: How long?, fields: [{ name: nights, type: number, label: Nights, min: 1, required: true }] }
  book: { type: ask, request: { kind: confirmation, title: Book it? } }
  done:
    type: transform
    output: { city: nodes.where.output.values.city, book: nodes.book.output.action, by: nodes.book.output.by }
routes:
  where: [{ to: nights }]
  nights: [{ to: nights, on: [approve, edit], when: output.values.nights > 30, because: too long }, { to: book }]
  book: [{ to: done }]
`;

const ANSWERS = `Where to?: { values: { city: 基多 } }
nights:
  - { values: { nights: 40 } }
  - { values: { nights: 3 } }
book: { action: reject, note: too dear, as: 'user:lead' }
`;

let bench: Workbench;

beforeAll(() => {
  bench = new Workbench();
  bench.file('trip.yaml', TRIP);
  bench.file('answers.yaml', ANSWERS);
});
afterAll(() => bench.remove());

describe('answers from a file', () => {
  it('lead a run through all of its questions, found by title or node, each of a list in its turn', async () => {
    const { code, json } = await bench.json<RunJson>('run', 'trip.yaml', '--answers', 'answers.yaml');
    expect({ code, json }).toMatchObject({
      code: 0,
      json: { status: 'completed', output: { city: '基多', book: 'reject', by: { kind: 'user', id: 'lead' } } },
    });
  });

  it('stop where the file has none, and tell those that nothing was asked for', async () => {
    bench.file('some.yaml', 'where: { values: { city: Quito } }\nwher: { values: { city: Lima } }\n');
    const { code, stderr } = await bench.run('run', 'trip.yaml', '--answers', 'some.yaml');
    expect(code).toBe(10);
    expect(stderr).toBe('Nothing was asked that these answers are for: wher.\n');
  });

  it('may be one, in JSON or from standard input, for one question', async () => {
    bench.file('one.json', '{"values":{"city":"Quito"}}');
    const first = await bench.json<RunJson>('run', 'trip.yaml', '--answers', 'one.json');
    expect(first).toMatchObject({ code: 10, json: { requests: [{ title: 'How long?' }] } });
    const input = 'values: { nights: 2 }\nnote: 两晚\n';
    const second = await bench.runWithInput(input, 'answer', first.json.requests[0]!.id, '--answers', '-', '--json');
    expect(JSON.parse(second.stdout)).toMatchObject({ status: 'suspended', requests: [{ title: 'Book it?' }] });
    const log = await bench.json<{ events: object[] }>('events', first.json.runId);
    expect(log.json.events).toContainEqual(
      expect.objectContaining({ data: expect.objectContaining({ values: { nights: 2 }, note: '两晚' }) }),
    );
  });

  it('answer the question that is named and those behind it', async () => {
    const { json } = await bench.json<RunJson>('run', 'trip.yaml');
    const { code } = await bench.json('answer', json.requests[0]!.id, '--answers', 'answers.yaml');
    expect(code).toBe(0);
  });

  it('must have one for the question that is named', async () => {
    const { json } = await bench.json<RunJson>('run', 'trip.yaml');
    bench.file('other.yaml', 'book: { action: approve }\n');
    const refused = await bench.json<ErrorJson>('answer', json.requests[0]!.id, '--answers', 'other.yaml');
    expect(refused).toMatchObject({ code: 2, json: { error: { code: 'InvalidAnswers' } } });
    expect(
      await bench.json('answer', json.requests[0]!.id, '--answers', 'other.yaml', '--action', 'approve'),
    ).toMatchObject({
      code: 2,
    });
  });

  it('are validated like any answer: the question stays open', async () => {
    bench.file('wrong.yaml', 'where: { values: { city: 5 } }\n');
    const { code, json } = await bench.json<ErrorJson>('run', 'trip.yaml', '--answers', 'wrong.yaml', '--key', 'wrong');
    expect({ code, error: json.error.code }).toEqual({ code: 2, error: 'InvalidAnswer' });
    const again = await bench.json<RunJson>('run', 'trip.yaml', '--key', 'wrong');
    expect(again.json.requests).toMatchObject([{ title: 'Where to?' }]);
  });

  it.each([
    ['is no answer', 'a: 1\n', '/a'],
    ['has a key that none has', 'a: { value: { x: 1 } }\n', '/a/value'],
    ['has values that are no map', 'values: 3\n', '/values'],
    ['is empty', '{}\n', ''],
    ['has a key twice', 'a: { note: x }\na: { note: y }\n', '/a'],
  ])('are refused before anything is started when the file %s', async (_, text, pointer) => {
    bench.file('bad.yaml', text);
    const { code, json } = await bench.json<ErrorJson>('run', 'trip.yaml', '--answers', 'bad.yaml', '--key', 'bad');
    expect(code).toBe(2);
    expect(json.error).toMatchObject({ code: 'InvalidAnswers', details: { faults: [{ pointer }] } });
  });
});
