const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/;

/** Compares two decimal texts exactly: less than 0, 0, or more. Undefined where one of them is none. */
export function compareDecimal(a: string, b: string): number | undefined {
  const [left, right] = [DECIMAL.exec(a), DECIMAL.exec(b)];
  if (!left || !right) return undefined;
  const places = Math.max(left[3]?.length ?? 0, right[3]?.length ?? 0);
  const difference = scaled(left, places) - scaled(right, places);
  return difference === 0n ? 0 : difference < 0n ? -1 : 1;
}

function scaled([, sign, whole, fraction = '']: RegExpExecArray, places: number): bigint {
  return BigInt(`${sign}${whole}${fraction.padEnd(places, '0')}`);
}
