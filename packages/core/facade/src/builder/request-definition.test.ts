import { expect, it } from 'vitest';
import { z } from 'zod';
import { exportGraph } from '../loader/export-graph.ts';
import { loadGraph } from '../loader/load-graph.ts';
import { defineGraph } from './define-graph.ts';
import { graphFromDefinition } from './graph-from-definition.ts';

const YAML = `
name: trip
entry: tab
input: { type: object, required: [tabs], properties: { tabs: { type: array, items: { type: string } } } }
nodes:
  tab:
    type: ask
    request:
      title: Which tab?
      options: { cel: input.tabs }
      displays:
        - { type: table, columns: [ { key: tab, label: Tab } ], rows: [ { tab: { cel: "input.tabs[0]" } } ] }
  dates:
    type: ask
    request:
      title: When?
      subject: { tabs: { cel: input.tabs } }
      fields: [ { name: from, type: date, required: true }, { name: to, type: date } ]
      deadline: { after: 1d, onExpire: escalate, to: [{ assign: [role:a, user:b], after: 4h }, { assign: user:c }, role:d] }
      rules:
        - { when: has(values.to), assert: values.to >= values.from, message: must not be before From, fields: to }
routes:
  tab: [ { to: dates } ]
`;

it('says in TypeScript what it says in YAML: a choice by its options, displays, rules and a subject', () => {
  const trip = defineGraph({ name: 'trip', input: z.object({ tabs: z.array(z.string()) }) });
  const graph = trip.build({
    entry: 'tab',
    nodes: {
      tab: trip.ask({
        title: 'Which tab?',
        options: { cel: 'input.tabs' },
        displays: [
          { type: 'table', columns: [{ key: 'tab', label: 'Tab' }], rows: [{ tab: { cel: 'input.tabs[0]' } }] },
        ],
      }),
      dates: trip.ask({
        title: 'When?',
        deadline: {
          after: '1d',
          onExpire: 'escalate',
          to: [{ assign: ['role:a', 'user:b'], after: '4h' }, { assign: 'user:c' }, 'role:d'],
        },
        subject: { tabs: { cel: 'input.tabs' } },
        fields: [
          { name: 'from', type: 'date', required: true },
          { name: 'to', type: 'date' },
        ],
        rules: [
          {
            when: 'has(values.to)',
            assert: 'values.to >= values.from',
            message: 'must not be before From',
            fields: ['to'],
          },
        ],
      }),
    },
    routes: { tab: [{ to: 'dates' }] },
  });
  const loaded = loadGraph(YAML);
  expect(loaded.faults).toEqual([]);
  expect(loaded.definition?.nodes).toEqual(graph.definition.nodes);
  const short = loadGraph(YAML.replace('{ assign: user:c }', 'user:c'));
  expect(graphFromDefinition(short.definition!, []).versionHash).toBe(graph.versionHash);
  const again = loadGraph(exportGraph(graph.definition, 'yaml'));
  expect(graphFromDefinition(again.definition!, []).versionHash).toBe(graph.versionHash);
});

it('tells what is wrong with a display, a rule and the options of a choice where it is written', () => {
  const { faults } = loadGraph(`
name: x
entry: a
nodes:
  a:
    type: ask
    request:
      title: T
      options: [a, a]
      rules: [ { assert: values.choice == 'a', massage: m } ]
      displays: [ { type: tabel } ]
`);
  expect(faults.map(({ code, line }) => `${code} ${line}`)).toEqual([
    'DuplicateOption 9',
    'UnknownKey 10',
    'UnknownDisplayType 11',
  ]);
});
