/** How long a server asks to wait, in ms from `now`: `retry-after-ms`, or `retry-after` in seconds or as a date. */
export function retryAfterMillis(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const millis = headers['retry-after-ms'];
  if (millis !== undefined && /^\d{1,12}(\.\d+)?$/.test(millis)) return Math.ceil(Number(millis));
  const value = headers['retry-after'];
  if (value === undefined) return undefined;
  if (/^\d{1,9}(\.\d+)?$/.test(value)) return Math.ceil(Number(value) * 1_000);
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
