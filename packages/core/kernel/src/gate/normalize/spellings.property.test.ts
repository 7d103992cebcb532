import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readDate } from './read-date.ts';
import { readDateTime } from './read-date-time.ts';
import { readNumber } from './read-number.ts';

const MONTHS = 'January February March April May June July August September October November December'.split(' ');

const day = fc
  .date({ min: new Date(Date.UTC(1, 0, 1)), max: new Date(Date.UTC(9999, 11, 31)), noInvalidDate: true })
  .map(date => date.toISOString().slice(0, 10))
  .filter(iso => /^\d{4}-/.test(iso));

function parts(iso: string) {
  const [year, month, date] = iso.split('-') as [string, string, string];
  return { y: year, m: Number(month), d: Number(date), name: MONTHS[Number(month) - 1]! };
}

/** U+FF10 and on. */
function fullWidth(text: string): string {
  return text.replace(/[\d/:+-]/g, char => String.fromCharCode(char.charCodeAt(0) + 0xfee0));
}

describe('the spellings of a day', () => {
  it('read back as that day, in English and in Chinese', () => {
    fc.assert(
      fc.property(day, iso => {
        const { y, m, d, name } = parts(iso);
        const spellings = [
          ...[`${y}/${m}/${d}`, `${y}.${m}.${d}`, `${y}-${m}-${d}`, iso.replaceAll('-', ''), fullWidth(iso)],
          ...[`${y}年${m}月${d}日`, `${y} 年 ${m} 月 ${d} 號`, `${d} ${name} ${y}`, `${name} ${d}, ${y}`],
          ...[`${name.slice(0, 3)}. ${d} ${y}`, `${d}-${name.slice(0, 3)}-${y}`, `  ${iso}\n`],
        ];
        expect(spellings.map(spelling => [spelling, readDate(spelling)])).toEqual(spellings.map(text => [text, [iso]]));
      }),
    );
  });

  it('with the year last have one reading where the calendar leaves one, and else all there are', () => {
    fc.assert(
      fc.property(day, fc.constantFrom('/', '-', '.'), (iso, mark) => {
        const { y, m, d } = parts(iso);
        const both = d > 12 || d === m ? [iso] : [iso, `${y}-${String(d).padStart(2, '0')}-${iso.slice(5, 7)}`];
        expect(readDate([d, m, y].join(mark)).toSorted()).toEqual(both.toSorted());
        expect(readDate([m, d, y].join(mark)).toSorted()).toEqual(both.toSorted());
      }),
    );
  });

  it('have no reading where there is no such day', () => {
    const impossible = fc
      .tuple(fc.integer({ min: 1000, max: 9999 }), fc.integer({ min: 0, max: 99 }), fc.integer({ min: 0, max: 99 }))
      .filter(([y, m, d]) => m < 1 || m > 12 || d < 1 || d > new Date(Date.UTC(y, m, 0)).getUTCDate());
    fc.assert(
      fc.property(impossible, ([y, m, d]) => {
        expect([`${y}-${m}-${d}`, `${y}年${m}月${d}日`, `${y}/${m}/${d}`].flatMap(readDate)).toEqual([]);
      }),
    );
  });
});

describe('the spellings of a time', () => {
  it('read back as that instant', () => {
    const time = fc.tuple(day, fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }));
    fc.assert(
      fc.property(time, ([iso, hour, minute]) => {
        const { y, m, d, name } = parts(iso);
        const min = String(minute).padStart(2, '0');
        const [half, zh] = hour < 12 ? ['am', '上午'] : ['pm', '下午'];
        const twelve = hour % 12 === 0 ? 12 : hour % 12;
        const wanted = `${iso}T${String(hour).padStart(2, '0')}:${min}:00+08:00`;
        const spellings = [
          ...[
            `${iso} ${hour}:${min} +0800`,
            `${iso}T${hour}:${min}:00+08:00`,
            `${y}年${m}月${d}日 ${hour}:${min} UTC+8`,
          ],
          ...[
            `${name} ${d}, ${y} at ${twelve}:${min} ${half} +08:00`,
            `${y}年${m}月${d}日${zh}${twelve}点${minute}分 GMT+8`,
          ],
        ];
        const read = spellings.map(spelling => readDateTime(spelling, undefined).map(({ value }) => value));
        expect(read).toEqual(spellings.map(() => [wanted]));
      }),
    );
  });
});

describe('the spellings of a number', () => {
  it('read back as that number, plain, full-width, and with its thousands marked', () => {
    const decimal = fc.tuple(fc.integer({ min: -1e12, max: 1e12 }), fc.integer({ min: 0, max: 3 }));
    fc.assert(
      fc.property(decimal, ([digits, places]) => {
        const text = (digits / 10 ** places).toFixed(places);
        const value = Number(text);
        const grouped = Number(text).toLocaleString('en-US', { minimumFractionDigits: places });
        expect([text, ` ${text} `, fullWidth(text)].map(readNumber)).toEqual([[value], [value], [value]]);
        if (/^-?\d{1,3},\d{3}$/.test(grouped)) expect(readNumber(grouped)).toHaveLength(2);
        else expect(readNumber(grouped)).toEqual([value]);
        expect(readNumber(grouped.replaceAll(',', "'"))).toEqual([value]);
      }),
    );
  });

  it('say all that was written: no digit is dropped', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }), value => {
        for (const read of readNumber(String(value))) expect(read).toBe(value + 0);
        expect(readNumber(`${Math.trunc(value)}.12345678901234567891`)).toEqual([]);
      }),
    );
  });
});
