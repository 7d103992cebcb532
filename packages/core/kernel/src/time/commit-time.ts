/** Epoch ms ↔ the one form commits use: `YYYY-MM-DDTHH:MM:SS.mmmZ`. Quick, because every fold reads one per commit. */
export function commitTime(ms: number): string {
  if (ms !== last.ms) last = { ms, text: new Date(ms).toISOString() };
  return last.text;
}

/** Many commits are made within one millisecond. */
let last = { ms: 0, text: '1970-01-01T00:00:00.000Z' };

export function commitMillis(text: string): number {
  const part = (from: number, to: number) => Number(text.slice(from, to));
  return Date.UTC(part(0, 4), part(5, 7) - 1, part(8, 10), part(11, 13), part(14, 16), part(17, 19), part(20, 23));
}
