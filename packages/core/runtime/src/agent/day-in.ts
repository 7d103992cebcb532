const formats = new Map<string, Intl.DateTimeFormat>();

/** The calendar day in a zone, such as `2026-03-02`. */
export function dayIn(zone: string, at: number): string {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' });
    formats.set(zone, format);
  }
  return format.format(at);
}
