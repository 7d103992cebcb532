import { readFileSync } from 'node:fs';
import { compileJsonSchema, type JsonValue } from '@signalbox/kernel';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { graphSchema } from './graph-schema.ts';

/** The example of the design. */
const DESK = readFileSync(new URL('./support-desk.yaml.txt', import.meta.url), 'utf8');

const validator = compileJsonSchema(graphSchema());

function accepts(text: string): boolean {
  return validator.validate(parse(text) as JsonValue).ok;
}

describe('the JSON Schema of graph files', () => {
  it('accepts the graph of the design', () => {
    expect(validator.validate(parse(DESK) as JsonValue)).toMatchObject({ ok: true });
  });

  it.each([
    ['a key of the graph', 'entry: classify', 'entri: classify'],
    ['a key of a node', 'decides:', 'decide:'],
    ['a key of a request', 'purpose:', 'purpos:'],
    ['a key of a field', 'label: Note', 'lable: Note'],
    ['a key of a route', 'because: low confidence', 'becuase: low confidence'],
    ['a field type', 'type: textarea', 'type: txtarea'],
    ['a word', 'onExpire: escalate', 'onExpire: escalated'],
    ['a number for a text', 'title: Who should take this case?', 'title: 1.10'],
    ['a reducer', 'reducer: append', 'reducer: apend'],
  ])('refuses a mistake in %s', (_, right, wrong) => {
    expect(DESK).toContain(right);
    expect(accepts(DESK.replace(right, wrong))).toBe(false);
  });

  it('knows the short ways to write things, in both spellings', () => {
    expect(
      accepts(`
name: x
version: "1.10"
entry: a
limits: { max_visits: 3, noProgress: false }
nodes:
  a: { type: decision, request: { title: { cel: "input.t" }, form: { type: object }, assign: role:lead, resume: restart } }
  b: { type: map, items: input.list, body: { graph: inner } }
  c: { type: wait, first: { late: { for: 2h }, asked: { ask: { title: T, kind: confirmation } } }, join: { count: 2 } }
  d: { type: my-own, with: { anything: 1 }, fallback: c, compensate: { type: undo } }
routes: { a: { to: [b, c], on: approve }, b: [{ to: end, until: x }], c: end }
graphs: { inner: { entry: a, nodes: { a: { type: transform, output: { x: "1" } } } } }
`),
    ).toBe(true);
  });
});
