import { describe, expect, it } from 'vitest';
import { formatInstant, parseInstant } from '../time/instant.ts';
import { nextTick } from './decide/decide.ts';
import { asking, faultsOfAsking as faultsOf, startedAsking as started } from './testing/asking.ts';
import { Scenario, T0 } from './testing/scenario.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;
const APPROVE = { action: 'approve' };

const reminded = (s: Scenario) => s.of('request.reminded').map(({ due }) => (due - T0) / MINUTE);

describe('reminders', () => {
  const deadline = { after: '10h', onExpire: 'fail' } as const;

  it('come after the question was put and before its deadline, each once, in order', () => {
    const s = started({ deadline, remind: [{ before: '1h' }, { after: '1h' }, { after: '9h' }, { after: '5h' }] });
    expect(s.of('request.opened')[0]?.reminders).toEqual([1, 5, 9].map(hours => T0 + hours * HOUR));
    s.advance(9.5 * HOUR);
    expect(reminded(s)).toEqual([60, 300, 540]);
    expect(nextTick(s.program, s.run)).toBe(T0 + 10 * HOUR);
    expect(s.open).toEqual(['ask']);
  });

  it('need no deadline, and none comes once the question is closed', () => {
    const s = started({ remind: [{ after: '1d' }, { after: '2d' }] }).advance(DAY);
    expect(reminded(s)).toEqual([1440]);
    s.answer('ask', APPROVE);
    expect(s.run.timers.size).toBe(0);
  });

  it('that nobody was there to give come as one, the last; none after the deadline, which decides', () => {
    const missed = started({ deadline, remind: [{ after: '1h' }, { after: '2h' }, { after: '9h' }] });
    missed.at = T0 + 3 * HOUR;
    missed.send({ type: 'tick' });
    expect(reminded(missed)).toEqual([120]);
    const late = started({ deadline, remind: [{ after: '1h' }] });
    late.at = T0 + 11 * HOUR;
    late.send({ type: 'tick' });
    expect(reminded(late)).toEqual([]);
    expect(late.run.error?.code).toBe('RequestExpired');
  });

  it('begin anew for whoever is asked next', () => {
    const escalating = { after: '10h', onExpire: 'escalate', to: ['user:li'] } as const;
    const s = started({ deadline: escalating, remind: [{ after: '1h' }, { before: '1h' }] }).advance(20 * HOUR - 1);
    expect(reminded(s).map(minutes => minutes / 60)).toEqual([1, 9, 11, 19]);
  });

  it('outside the time that the question has are none', () => {
    expect(
      started({ deadline, remind: [{ before: '10h' }, { after: '10h' }, { before: '1d' }] }).of('request.opened')[0],
    ).not.toHaveProperty('reminders');
  });

  it('are checked when the graph is', () => {
    expect(faultsOf({ remind: [{ before: '1h' }, {}, { after: '1h', before: '1h' }] })).toEqual([
      'InvalidReminder /remind/0/before',
      'InvalidReminder /remind/1',
      'InvalidReminder /remind/2',
    ]);
    expect(faultsOf({ remind: [{ after: 'soon' }] })).toEqual(['InvalidDuration /remind/0/after']);
  });
});

describe('the deadline of a question', () => {
  const at = (local: string, zone: string) => {
    const s = started({ deadline: { at: local, onExpire: 'fail' } }, { zone });
    return formatInstant(s.of('request.opened')[0]!.deadline!);
  };

  it('is a local time in the zone of its graph, on any server', () => {
    expect(at('2026-05-04T09:00', 'Asia/Taipei')).toBe('2026-05-04T01:00:00.000Z');
    expect(at('2026-05-04T09:00:00+02:00', 'Asia/Taipei')).toBe('2026-05-04T07:00:00.000Z');
  });

  it('in a gap of the clock is moved on by the gap; of a double time it is the earlier', () => {
    expect(at('2026-03-08T02:30', 'America/New_York')).toBe('2026-03-08T07:30:00.000Z');
    expect(at('2026-11-01T01:30', 'America/New_York')).toBe('2026-11-01T05:30:00.000Z');
    expect(at('2026-03-29T02:30', 'Europe/Berlin')).toBe('2026-03-29T01:30:00.000Z');
    expect(at('2026-10-25T02:30', 'Europe/Berlin')).toBe('2026-10-25T00:30:00.000Z');
  });

  it('of days is of so many times 24 hours, whatever the clock on the wall does', () => {
    const s = new Scenario(asking({ deadline: { after: '1d', onExpire: 'fail' } }, { zone: 'America/New_York' }));
    s.at = parseInstant('2026-03-07T12:00', 'America/New_York');
    s.start();
    expect(s.of('request.opened')[0]?.deadline).toBe(s.at + DAY);
  });

  it('ten years ahead passes in its very millisecond', () => {
    const after = 10 * YEAR + 1;
    const s = started({ deadline: { after: `${after}ms`, onExpire: 'route' } });
    expect(nextTick(s.program, s.run)).toBe(T0 + after);
    s.at = T0 + after - 1;
    s.send({ type: 'tick' });
    expect(s.open).toEqual(['ask']);
    s.at += 1;
    s.send({ type: 'tick' });
    expect(s.of('request.expired')).toHaveLength(1);
    expect(s.status).toBe('completed');
  });

  it('tells a late answer what it is late for', () => {
    const s = started({ deadline: { after: '1h', onExpire: 'route' } });
    const request = s.asked('ask')!;
    s.at = T0 + HOUR;
    const { refusal } = s.tryAnswer(request, APPROVE);
    expect(refusal).toMatchObject({ code: 'RequestExpired', details: { request, status: 'expired' } });
    expect(s.of('request.refused')).toMatchObject([{ code: 'RequestExpired' }]);
  });

  it('that escalates may ask several at once, each step with a time of its own, else with the first again', () => {
    const to = [{ assignees: ['user:li', 'user:ana'], after: '10m' }, 'user:bao', { assignees: ['user:eve'] }];
    const s = started({ deadline: { after: '1h', onExpire: 'escalate', to } }).advance(4 * HOUR);
    expect(s.of('request.escalated')).toMatchObject([
      { to: 'user:li', assignees: ['user:li', 'user:ana'], deadline: T0 + HOUR + 10 * MINUTE },
      { to: 'user:bao', deadline: T0 + 2 * HOUR + 10 * MINUTE },
      { to: 'user:eve', deadline: T0 + 3 * HOUR + 10 * MINUTE },
    ]);
    expect(s.of('request.escalated')[1]).not.toHaveProperty('assignees');
    expect(s.of('request.expired')).toHaveLength(1);

    const asked = started({ deadline: { after: '1h', onExpire: 'escalate', to } }).advance(HOUR);
    const request = asked.asked('ask')!;
    const answer = (id: string) => asked.tryAnswer(request, APPROVE, { kind: 'user', id }).refusal?.code;
    expect([answer('bao'), answer('ana')]).toEqual(['NotAssigned', undefined]);
  });

  it('that escalates to nobody in a step is a fault, as is a time that is none', () => {
    const to = [{ assignees: [] }, { assignees: ['li'], after: 'soon' }];
    expect(faultsOf({ deadline: { after: '1h', onExpire: 'escalate', to } })).toEqual([
      'InvalidAssignee /deadline/to/1/assignees/0',
      'InvalidDuration /deadline/to/1/after',
      'EscalateWithoutTo /deadline/to/0',
      'EscalateWithoutTo /deadline/to/1',
    ]);
  });

  it('that escalates passes nobody over unasked: after a long silence the next has the whole time', () => {
    const deadline = { after: '1h', onExpire: 'escalate', to: ['user:li', 'user:ana'] } as const;
    const s = started({ deadline });
    s.at = T0 + 5 * HOUR;
    s.send({ type: 'tick' });
    expect(s.of('request.escalated')).toMatchObject([{ to: 'user:li', deadline: T0 + 6 * HOUR }]);
    const soon = started({ deadline });
    soon.at = T0 + HOUR + 5;
    soon.send({ type: 'tick' });
    expect(soon.of('request.escalated')).toMatchObject([{ deadline: T0 + 2 * HOUR }]);
  });
});

describe('a clock that jumps', () => {
  it('by a year, either way, revives no expired request', () => {
    for (const jump of [-YEAR, YEAR]) {
      const s = started({ deadline: { after: '1h', onExpire: 'route' } });
      const request = s.asked('ask')!;
      s.advance(HOUR);
      const { at, seq } = s.run;
      s.at += jump;
      expect(s.tryAnswer(request, APPROVE).refusal?.code).toBe('RequestExpired');
      expect(s.send({ type: 'claimRequest', request }).refusal?.code).toBe('RequestExpired');
      s.send({ type: 'tick' });
      expect(s.run.seq).toBe(seq + 1); // the refused answer, and nothing else
      expect(s.run.at).toBeGreaterThanOrEqual(at);
      expect(s.of('request.expired')).toHaveLength(1);
    }
  });

  it('back leaves an open question open, with the deadline that it had', () => {
    const s = started({ deadline: { after: '1h', onExpire: 'route' }, remind: [{ after: '30m' }] }).advance(
      45 * MINUTE,
    );
    s.at -= YEAR;
    s.send({ type: 'tick' });
    expect([...s.run.requests.values()]).toMatchObject([{ deadline: T0 + HOUR }]);
    expect(reminded(s)).toEqual([30]);
    s.answer('ask', APPROVE);
    expect(s.of('request.answered')[0]?.at).toBe(formatInstant(T0 + 30 * MINUTE));
  });
});
