import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Principal } from '../event/commit.ts';
import { isSamePerson } from '../event/principal.ts';
import type { RunEvent } from '../event/run-event.ts';
import type { RequestDefinition } from '../request/definition.ts';
import { graph, Scenario, USER } from './testing/scenario.ts';

const HOUR = 3_600_000;

const PRINCIPALS: readonly Principal[] = [
  USER,
  { kind: 'user', id: 'mia' },
  { kind: 'user', id: 'li' },
  { kind: 'user', id: 'x', onBehalfOf: 'user:mia' },
  { kind: 'service', id: 'risk' },
  { kind: 'system', id: 's' },
  { kind: 'model', id: 'm' },
];

type Step = (s: Scenario, request: string) => void;

const person = fc.constantFrom(...PRINCIPALS);
const roles = fc.option(fc.subarray(['boss', 'clerk']), { nil: undefined });
const withRoles = (of: readonly string[] | undefined) => (of === undefined ? {} : { roles: of });

const answers = fc
  .record({
    by: person,
    roles,
    action: fc.constantFrom(
      'approve',
      'approve',
      'approve',
      'approve',
      'edit',
      'reject',
      'cancel',
      'nonsense',
      undefined,
    ),
    cents: fc.option(fc.constantFrom(1, 2, -1), { nil: undefined }),
    key: fc.option(fc.constantFrom('k1', 'k2'), { nil: undefined }),
  })
  .map(
    ({ by, roles: of, action, cents, key }): Step =>
      (s, request) => {
        const said = {
          ...(action === undefined ? {} : { action }),
          ...(cents === undefined ? {} : { values: { cents } }),
          ...(key === undefined ? {} : { key }),
        };
        s.send({ type: 'answer', request, ...said, ...withRoles(of) }, by);
      },
  );
const claims = fc.record({ by: person, roles, takeOver: fc.boolean() }).map(({ by, roles: of, takeOver }): Step => {
  return (s, request) => s.send({ type: 'claimRequest', request, takeOver, ...withRoles(of) }, by);
});
const releases = person.map(
  (by): Step =>
    (s, request) =>
      s.send({ type: 'releaseRequest', request }, by),
);
const withdrawals = person.map((by): Step => {
  return (s, request) => s.send({ type: 'withdrawRequest', request, reason: 'r' }, by);
});
const times = fc.constantFrom(1, HOUR / 2, HOUR, 10 * HOUR, -HOUR, -8760 * HOUR).map((by): Step => {
  return s => {
    s.at += by;
    s.send({ type: 'tick' });
  };
});

const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: answers },
    { weight: 3, arbitrary: claims },
    { weight: 2, arbitrary: releases },
    { weight: 1, arbitrary: withdrawals },
    { weight: 3, arbitrary: times },
  ),
  { maxLength: 25, size: 'max' },
);

const requests = fc.record<Partial<RequestDefinition>>({
  quorum: fc.constantFrom(1, 2, 3),
  fourEyes: fc.boolean(),
  assignees: fc.constantFrom(undefined as never, ['role:boss'], ['service:risk', 'user:mia', 'role:boss']),
  subject: fc.constantFrom(undefined as never, { cents: 5 }),
  deadline: fc.constantFrom(
    undefined as never,
    { after: '2h', onExpire: 'route' },
    { after: '2h', onExpire: 'escalate', to: ['service:risk', 'role:boss'] },
  ),
  remind: fc.constantFrom(undefined as never, [{ after: '30m' }, { after: '90m' }]),
});

const CLOSING = ['request.answered', 'request.expired', 'request.withdrawn'];

function start(request: Partial<RequestDefinition>): Scenario {
  const given = Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined));
  const fields = [{ name: 'cents', type: 'number', min: 0, required: true }];
  const definition = { kind: 'form' as const, title: 'T', fields, proposal: { values: { cents: 5 } }, ...given };
  return new Scenario(graph({ nodes: { ask: { type: 'ask', request: definition } } })).start();
}

function afterClosing(events: readonly RunEvent[]): readonly RunEvent[] {
  const index = events.findIndex(({ type }) => CLOSING.includes(type));
  return index === -1 ? [] : events.slice(index + 1);
}

describe('whatever is done to a request, by whomever, in whatever order', () => {
  it('it is closed once at most, approved by so many distinct persons that may, and nothing comes after', () => {
    fc.assert(
      fc.property(requests, steps, (request, acts) => {
        const s = start(request);
        const id = s.asked('ask')!;
        for (const act of acts) act(s, id);
        const after = afterClosing(s.events);
        expect(after.filter(({ type }) => type.startsWith('request.') && type !== 'request.refused')).toEqual([]);
        if (s.run.requests.size === 0) expect(s.run.timers.size).toBe(0);
        const dues = s.of('request.reminded').map(({ due }) => due);
        expect(dues).toEqual([...new Set(dues)].sort((a, b) => a - b));
        const [answered] = s.of('request.answered');
        if (answered === undefined) return;
        const voices = answered.endorsedBy ?? [answered.by];
        if (request.fourEyes === true) expect(voices.some(by => isSamePerson(by, USER))).toBe(false);
        expect(voices.some(({ kind }) => kind === 'model')).toBe(false);
        if (answered.action === 'reject' || answered.action === 'cancel') return;
        const isWhole = answered.action === 'edit' && request.subject !== undefined;
        if (!isWhole) expect(voices).toHaveLength(request.quorum === 1 ? 1 : request.quorum!);
        voices.forEach((by, index) => {
          expect(voices.slice(index + 1).some(other => isSamePerson(by, other))).toBe(false);
        });
        const approvals = s.of('request.endorsed');
        for (const { values } of approvals.slice(-voices.length))
          if (answered.endorsedBy !== undefined) expect(values).toEqual(answered.values);
      }),
      { numRuns: 300 },
    );
  });
});
