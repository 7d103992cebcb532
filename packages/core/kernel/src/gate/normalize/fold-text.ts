/** How far the full-width forms (`Ａ`, `１`, `－`) lie from the ASCII characters that they show. */
const WIDTH_OFFSET = 0xfee0;
const FULL_WIDTH = /[\uff01-\uff5e]/g;
const BLANKS = /\s+/g;

/** Full-width forms as ASCII, runs of blanks (the ideographic one too) as one space, none at the ends. */
export function foldText(text: string): string {
  return text
    .replace(FULL_WIDTH, char => String.fromCharCode(char.charCodeAt(0) - WIDTH_OFFSET))
    .replace(BLANKS, ' ')
    .trim();
}

/** The same, and letter case counts for nothing, in no language. */
export function foldCase(text: string): string {
  return foldText(text).toLowerCase();
}
