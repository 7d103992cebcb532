/** Words as a POSIX shell reads them back: what is not plain stands in single quotes. */
export function shellWords(words: readonly string[]): string {
  return words.map(word => (/^[\w@%+=:,./-][\w@%+=:,./#-]*$/.test(word) ? word : quoted(word))).join(' ');
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
