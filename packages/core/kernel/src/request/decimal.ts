/**
 * Whether `value` is a whole multiple of `step`, counted from 0 and compared in decimal: as the numbers are written,
 * not as they lie in binary. 4.35 is a multiple of 0.01. `step` is finite and more than 0; a `value` that is not finite
 * is a multiple of nothing.
 */
export function isMultipleOf(value: number, step: number): boolean {
  if (!Number.isFinite(value)) return false;
  if (Number.isSafeInteger(value) && Number.isSafeInteger(step)) return value % step === 0;
  const [a, b] = [toDecimal(value), toDecimal(step)];
  const exponent = Math.min(a.exponent, b.exponent);
  return scaled(a, exponent) % scaled(b, exponent) === 0n;
}

/** digits × 10^exponent */
interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

/** Reads the shortest text of a finite number, which is the one a person or a JSON text would have written. */
function toDecimal(value: number): Decimal {
  const [mantissa, power = '0'] = String(value).split('e');
  const [whole, fraction = ''] = mantissa!.split('.');
  return { digits: BigInt(whole! + fraction), exponent: Number(power) - fraction.length };
}

function scaled(decimal: Decimal, exponent: number): bigint {
  return decimal.digits * 10n ** BigInt(decimal.exponent - exponent);
}
