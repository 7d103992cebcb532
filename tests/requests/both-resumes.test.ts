import { type AskRequest, defineGraph, type Graph, type Signalbox } from 'signalbox';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createLab, STORES, until } from '../cases/testing/lab.ts';

const FIELDS: NonNullable<AskRequest['fields']> = [
  { name: 'genre', type: 'select', label: 'Genre', required: true, options: [{ value: 'jazz', label: 'Jazz' }] },
  { name: 'hours', type: 'slider', label: 'Hours', min: 0, max: 40, step: 1, unit: 'h', required: true },
];
const VALUES = { genre: 'jazz', hours: 3 };
const TEXT = [
  'Confirmed answers (established; do not ask again):',
  expect.stringMatching(/^- "What music\?": approve \("Play"\) by "user:mia" at 20/),
  '  genre ("Genre") = "jazz" ("Jazz")',
  '  hours ("Hours") = 3 "h"',
];

const taste = { title: 'What music?', fields: FIELDS, actions: { approve: 'Play' } };

/** Thinks, asks, and thinks again knowing the answer: by going on behind the question, or by a fresh pass. */
function thinking(name: string, mode: 'continue' | 'restart', seen: string[]) {
  const inner = defineGraph({ name, input: z.object({}), state: z.object({ hours: z.number().default(0) }) });
  const think = inner.step({ output: z.object({ known: z.boolean() }), timeout: '5s' }, ctx => {
    seen.push(ctx.answersText);
    return { known: ctx.answers.length > 0 || ctx.state.hours > 0 };
  });
  const ask = inner.ask({ ...taste, resume: { mode }, update: { hours: 'output.values.hours' } });
  return { inner, think, ask };
}

function plain(mode: 'continue' | 'restart', seen: string[]) {
  const { inner, think, ask } = thinking('plain', mode, seen);
  return inner.build({
    entry: 'think',
    nodes: { think, ask },
    routes: { think: [{ to: 'ask', when: '!output.known' }, { to: 'end' }], ask: [{ to: 'think' }] },
  });
}

function inSubgraph(mode: 'continue' | 'restart', seen: string[]) {
  const outer = defineGraph({ name: 'outer', input: z.object({}) });
  const sub = outer.subgraph(plain(mode, seen), { input: {} });
  return outer.build({ entry: 'sub', nodes: { sub }, routes: {} });
}

function inItem(mode: 'continue' | 'restart', seen: string[]) {
  const outer = defineGraph({ name: 'items', input: z.object({}) });
  const each = outer.map({ items: '[{}]', body: plain(mode, seen) });
  return outer.build({ entry: 'each', nodes: { each }, routes: {} });
}

function inBranch(mode: 'continue' | 'restart', seen: string[]) {
  const { inner, think, ask } = thinking('branch', mode, seen);
  const fork = inner.step({ timeout: '5s' }, () => null);
  const other = inner.step({ timeout: '5s' }, () => null);
  return inner.build({
    entry: 'fork',
    nodes: { fork, think, ask, other, J: inner.join() },
    routes: {
      fork: [{ to: ['think', 'other'] }],
      think: [{ to: 'ask', when: '!output.known' }, { to: 'J' }],
      ask: [{ to: 'think' }],
      other: [{ to: 'J' }],
    },
  });
}

type Place = (mode: 'continue' | 'restart', seen: string[]) => Graph<Record<string, never>, unknown>;

const PLACES: Readonly<Record<string, Place>> = {
  plain,
  'in a branch': inBranch,
  'in an item': inItem,
  'in a subgraph': inSubgraph,
};

describe.each(STORES)('a question resumed both ways, on %s', kind => {
  it.each(Object.entries(PLACES))(
    '%s: the text of the answer is there after a restart, and not after going on',
    async (_, place) => {
      for (const mode of ['continue', 'restart'] as const) {
        const seen: string[] = [];
        const lab = createLab(kind);
        const open = (): Signalbox => lab.open({ graphs: [place(mode, seen)] });
        let box = open();
        const run = await box.start(place(mode, seen), {});
        const [question] = (await run.settled()).requests;
        await lab.kill(box);
        box = open();
        await box.answer(question!.id, { values: VALUES, as: 'user:mia' });
        const done = await until(async () => {
          const view = await box.get(run.id).settled();
          return view.status === 'completed' && view;
        });
        expect(done.requests).toEqual([]);
        expect(seen[0]).toBe('');
        expect(seen).toHaveLength(2);
        if (mode === 'restart') expect(seen[1]!.split('\n')).toEqual(TEXT);
        else expect(seen[1]).toBe('');
      }
    },
  );
});
