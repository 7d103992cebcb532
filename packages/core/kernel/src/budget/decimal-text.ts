const DECIMAL = /^-?\d{1,30}(\.\d{1,18})?$/;

/** Plain decimal: at most 30 digits before the point and 18 behind it. */
export function isDecimalText(text: string): boolean {
  return DECIMAL.test(text);
}

/** Exact sum; without needless zeros at its end. */
export function addDecimals(a: string, b: string): string {
  const places = Math.max(placesOf(a), placesOf(b));
  return toText(scaled(a, places) + scaled(b, places), places);
}

/** Less than 0, 0, or more than 0. */
export function compareDecimals(a: string, b: string): number {
  const places = Math.max(placesOf(a), placesOf(b));
  const difference = scaled(a, places) - scaled(b, places);
  return difference < 0n ? -1 : Number(difference > 0n);
}

export function negated(decimal: string): string {
  return toText(-scaled(decimal, placesOf(decimal)), placesOf(decimal));
}

/** `decimal` × `by` ÷ 10^`places`, exactly. */
export function scaleDecimal(decimal: string, by: bigint, places: number): string {
  const own = placesOf(decimal);
  return toText(scaled(decimal, own) * by, own + places);
}

/** In units of 10^-`places`, rounded up: what is reckoned with must never be less than what it stands for. */
export function toUnits(decimal: string, places: number): bigint {
  const own = placesOf(decimal);
  if (own <= places) return scaled(decimal, places);
  const divisor = 10n ** BigInt(own - places);
  const whole = scaled(decimal, own);
  return whole / divisor + (whole > 0n && whole % divisor !== 0n ? 1n : 0n);
}

function placesOf(decimal: string): number {
  const point = decimal.indexOf('.');
  return point === -1 ? 0 : decimal.length - point - 1;
}

function scaled(decimal: string, places: number): bigint {
  const [whole, fraction = ''] = decimal.split('.');
  return BigInt(`${whole}${fraction.padEnd(places, '0')}`);
}

function toText(units: bigint, places: number): string {
  const sign = units < 0n ? '-' : '';
  const digits = (units < 0n ? -units : units).toString().padStart(places + 1, '0');
  const whole = digits.slice(0, digits.length - places);
  const fraction = digits.slice(digits.length - places).replace(/0+$/, '');
  return `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}
