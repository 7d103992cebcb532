import { describe, expect, it } from 'vitest';
import type { GraphDefinition } from './definition.ts';
import { toMermaid } from './diagram.ts';

const graph: GraphDefinition = {
  name: 'g',
  input: {},
  state: {},
  entry: 'triage',
  nodes: {
    triage: { type: 'step', handler: 'h', title: 'Triage', fallback: { node: 'plain' } },
    plain: { type: 'transform' },
    review: { type: 'ask', request: { kind: 'form', title: 'Q' } },
    left: { type: 'wait', for: '1s' },
    right: { type: 'map', items: '[1]', body: { node: { type: 'transform' } } },
    meet: { type: 'join' },
    broken: { type: 'fail' },
  },
  routes: {
    triage: [
      { to: ['review'], when: "output.intent == 'refund' && output.confidence > 0.9999" },
      { to: ['left', 'right'] },
    ],
    review: [
      { to: ['end'], on: ['approve', 'edit'] },
      { to: ['broken'], on: ['reject'], predicate: 'isLate' },
    ],
    left: [{ to: ['meet'] }],
    right: [{ to: ['meet'] }],
    meet: [{ to: ['nowhere'] }],
  },
};

describe('a graph as Mermaid', () => {
  it('draws nodes by kind, routes with their guards, forks and stand-ins', () => {
    expect(toMermaid(graph).split('\n')).toEqual([
      'flowchart TD',
      '  start([start])',
      '  n0["Triage · triage"]',
      '  n1[/"plain"/]',
      '  n2{{"review"}}',
      '  n3(["left"])',
      '  n4[["right"]]',
      '  n5(("meet (join all)"))',
      '  n6>"broken"]',
      '  finish([end])',
      '  start --> n0',
      '  n0 -->|"output.intent == #39;refund#39; #38;#38; output.con…"| n2',
      '  n0 ==> n3',
      '  n0 ==> n4',
      '  n2 -->|"approve, edit"| finish',
      '  n2 -->|"reject: isLate()"| n6',
      '  n3 --> n5',
      '  n4 --> n5',
      '  n0 -.->|"fallback"| n1',
      '',
    ]);
  });

  it('lets no text break out of its label', () => {
    const hostile = '"]; click n0 "javascript:x" %% <script> `**` 審批\n--> end';
    const text = toMermaid({ ...graph, nodes: { triage: { type: 'transform', title: hostile } }, routes: {} });
    const label = /^ {2}n0\[\/"([^"]*)"\/\]$/m.exec(text)?.[1];
    expect(label).toMatch(/^[^<>%`*[\]"\n]+$/);
    expect(text).not.toContain('<script>');
    expect(text.split('\n')).toHaveLength(5);
  });
});
