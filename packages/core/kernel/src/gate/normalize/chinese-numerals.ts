const DIGITS = '〇一二三四五六七八九';
const NUMERALS = /[〇零○一二三四五六七八九十]{1,4}(?=\s?[年月日号號点點时時分秒])/g;
const TENS = /^([一二三四五])?十([一二三四五六七八九])?$/;

/** Numerals before 年, 月, 日 and the parts of a time as digits: 二〇二六年三月十五日 → 2026年3月15日. Others stay. */
export function withDigits(text: string): string {
  return text.replace(NUMERALS, numeral => {
    const tens = TENS.exec(numeral);
    if (tens) return String((tens[1] ? digitOf(tens[1]) : 1) * 10 + (tens[2] ? digitOf(tens[2]) : 0));
    return numeral.includes('十') ? numeral : [...numeral].map(digitOf).join('');
  });
}

function digitOf(numeral: string): number {
  return Math.max(0, DIGITS.indexOf(numeral));
}
