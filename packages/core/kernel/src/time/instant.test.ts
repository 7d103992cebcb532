import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { isSignalboxError } from '../error/error.ts';
import { formatInstant, isCalendarDate, isDateTime, isValidZone, parseInstant } from './instant.ts';

function read(text: string, zone: string): string {
  return formatInstant(parseInstant(text, zone));
}

function codeOf(text: string, zone = 'UTC'): string | undefined {
  try {
    parseInstant(text, zone);
  } catch (error) {
    return isSignalboxError(error) ? error.code : String(error);
  }
  return undefined;
}

afterEach(() => {
  vi.unstubAllEnvs();
});

describe.each([
  ['UTC', 0],
  ['America/New_York', 300],
  ['Pacific/Kiritimati', -840],
])('C09 on a server in %s', (serverZone, minutesBehindUtc) => {
  it.each([
    ['a local time is read in the zone of the graph', '2026-05-04T09:00:00', 'Asia/Taipei', '2026-05-04T01:00:00.000Z'],
    ['a time with offset is taken as it is', '2026-05-04T09:00:00+02:00', 'Asia/Taipei', '2026-05-04T07:00:00.000Z'],
    ['a time in Z is taken as it is', '2026-05-04T09:00:00Z', 'Asia/Taipei', '2026-05-04T09:00:00.000Z'],
    ['a time in a gap moves on by the gap', '2026-03-08T02:30:00', 'America/New_York', '2026-03-08T07:30:00.000Z'],
    ['of a double time the earlier holds', '2026-11-01T01:30:00', 'America/New_York', '2026-11-01T05:30:00.000Z'],
    ['a date is the start of its day', '2026-05-04', 'Asia/Taipei', '2026-05-03T16:00:00.000Z'],
    ['a day may start after midnight', '2018-11-04', 'America/Sao_Paulo', '2018-11-04T03:00:00.000Z'],
    ['a gap may be half an hour', '2026-10-04T02:15:00', 'Australia/Lord_Howe', '2026-10-03T15:45:00.000Z'],
  ])('%s', (_name, text, zone, instant) => {
    vi.stubEnv('TZ', serverZone);
    expect(new Date(Date.UTC(2026, 0, 1)).getTimezoneOffset()).toBe(minutesBehindUtc);
    expect(read(text, zone)).toBe(instant);
  });
});

describe('an instant as written', () => {
  it.each([
    ['2026-05-04T09:00', '2026-05-04T09:00:00.000Z'],
    ['2026-05-04 09:00:00', '2026-05-04T09:00:00.000Z'],
    ['2026-05-04t09:00:00.123456789z', '2026-05-04T09:00:00.123Z'],
    ['2026-05-04T09:00:00-00:00', '2026-05-04T09:00:00.000Z'],
    ['2026-05-04T23:30:00-23:59', '2026-05-05T23:29:00.000Z'],
    ['1969-12-31T23:59:59.9999Z', '1969-12-31T23:59:59.999Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ])('%s reads as %s', (text, instant) => {
    expect(read(text, 'UTC')).toBe(instant);
  });

  it.each([
    '',
    'tomorrow',
    '2026',
    '2026-05',
    '20260504T090000Z',
    '2026-5-4',
    '2026-05-04T9:00:00Z',
    '2026-05-04T09:00Z',
    '2026-05-04T09Z',
    '2026-05-04T09:00:00+0200',
    '2026-05-04T09:00:00+02',
    '2026-05-04T09:00:00+24:00',
    '2026-05-04T09:00:00+02:00[Europe/Paris]',
    '2026-05-04T09:00:00[u-ca=hebrew]',
    '+002026-05-04',
    ' 2026-05-04',
    '2026-05-04\n',
    '2026-05-04T24:00:00',
    '2016-12-31T23:59:60Z',
    'Mon, 04 May 2026 09:00:00 GMT',
    '1777885200000',
  ])('%j is refused', text => {
    expect(codeOf(text)).toBe('InvalidInstant');
  });

  it('needs a zone that exists, even where the text has an offset', () => {
    expect(codeOf('2026-05-04T09:00:00', 'Mars/Olympus')).toBe('InvalidZone');
    expect(codeOf('2026-05-04T09:00:00Z', '+02:00')).toBe('InvalidZone');
  });

  it('survives being written and read, whatever the zone', () => {
    const zone = fc.constantFrom('UTC', 'Asia/Taipei', 'America/New_York', 'Australia/Lord_Howe');
    fc.assert(
      fc.property(fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 }), zone, (ms, zoneName) => {
        const text = formatInstant(ms);
        expect(text).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
        expect(parseInstant(text, zoneName)).toBe(ms);
        expect(isDateTime(text)).toBe(true);
      }),
    );
  });

  it.each([Number.NaN, 0.5, Number.POSITIVE_INFINITY, -62_167_219_200_001, 253_402_300_800_000])(
    '%d ms cannot be written',
    ms => {
      expect(() => formatInstant(ms)).toThrow('is not an instant');
    },
  );
});

describe('C18 dates of the calendar', () => {
  it.each(['2024-02-29', '2000-02-29', '2026-12-31'])('%s is one', day => {
    expect(isCalendarDate(day)).toBe(true);
    expect(read(day, 'UTC')).toBe(`${day}T00:00:00.000Z`);
  });

  it.each(['2026-02-30', '2025-02-29', '2100-02-29', '2026-04-31', '2026-13-01', '2026-00-10', '2026-06-99'])(
    '%s is none, and is not moved to another day',
    day => {
      expect(isCalendarDate(day)).toBe(false);
      expect(codeOf(day)).toBe('InvalidInstant');
      expect(codeOf(`${day}T10:00:00`)).toBe('InvalidInstant');
      expect(codeOf(`${day}T10:00:00Z`)).toBe('InvalidInstant');
      expect(isDateTime(`${day}T10:00:00Z`)).toBe(false);
    },
  );

  it('is a date alone: no time, no other spelling', () => {
    for (const text of ['2026-05-04T00:00:00', '20260504', '2026-5-4', '-002026-05-04', '2026-05-04 ', '2026-W19-1']) {
      expect(isCalendarDate(text)).toBe(false);
    }
  });

  it('has exactly the days that counting forward gives', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9999 }), fc.nat(15), fc.nat(40), (year, month, day) => {
        const text = [String(year).padStart(4, '0'), String(month).padStart(2, '0'), String(day).padStart(2, '0')].join(
          '-',
        );
        const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
        const lengths = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        expect(isCalendarDate(text)).toBe(day >= 1 && day <= (lengths[month - 1] ?? 0));
        expect(isCalendarDate(text)).toBe(codeOf(text) === undefined);
      }),
    );
  });
});

describe('C18 date-times', () => {
  it('has an offset and exists', () => {
    expect(isDateTime('2026-03-01T23:59:59+08:00')).toBe(true);
    expect(isDateTime('2026-13-13T17:45:07Z')).toBe(false);
    expect(isDateTime('2026-03-01T25:00:00Z')).toBe(false);
    expect(isDateTime('2026-03-01T10:00:00')).toBe(false);
    expect(isDateTime('2026-03-01T10:60:00Z')).toBe(false);
    expect(isDateTime('2026-03-01')).toBe(false);
  });
});

describe('a zone', () => {
  it.each(['UTC', 'Asia/Taipei', 'america/new_york', 'Etc/GMT+5'])('%s is one', zone => {
    expect(isValidZone(zone)).toBe(true);
  });

  it.each(['', '+02:00', '-05:00', 'Z', 'Mars/Olympus', '2026-05-04T09:00:00[Asia/Taipei]', 'UTC ', 'Asia/Taipei\n'])(
    '%j is none',
    zone => {
      expect(isValidZone(zone)).toBe(false);
    },
  );
});
