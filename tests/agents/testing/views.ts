const INVISIBLE = /[\u00AD\u200B-\u200F\u202A-\u202E\u2060\uFEFF]/g;
const TAG = /[\u{E0020}-\u{E007E}]/gu;

/** A text, and what may be hidden in it: behind invisible characters, look-alikes, encodings, or read backwards. */
export function viewsOf(text: string): string[] {
  const views = [
    text,
    text.replace(INVISIBLE, '').normalize('NFKC'),
    [...text.matchAll(TAG)].map(([tag]) => String.fromCodePoint(tag.codePointAt(0)! - 0xe0000)).join(''),
    ...[...text.matchAll(/[A-Za-z0-9+/]{24,}={0,2}/g)].map(([code]) => Buffer.from(code, 'base64').toString()),
    text.replace(/(?:%[0-9A-F]{2})+/g, code => decoded(code)),
    text.replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code))).replaceAll('&quot;', '"'),
    text.replace(/\\u([0-9a-f]{4})/gi, (_, code) => String.fromCodePoint(Number.parseInt(code, 16))),
    [...text].reverse().join(''),
  ];
  return [...new Set(views)];
}

function decoded(code: string): string {
  try {
    return decodeURIComponent(code);
  } catch {
    return code;
  }
}
