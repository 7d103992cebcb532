/** Hides secrets in a text, the longest first, so that none is shown in part because it holds another. */
export function masking(secrets: readonly string[]): (text: string) => string {
  const longestFirst = secrets.filter(secret => secret !== '').toSorted((a, b) => b.length - a.length);
  return text => longestFirst.reduce((masked, secret) => masked.replaceAll(secret, '[secret]'), text);
}
