import { Lexer } from 'yaml';

/** Far more than any value may nest, far less than exhausts the stack of a parser that recurses. */
const DEEPEST = 200;
const SCALAR_FOLLOWS = '\u001f';
/** What the lexer puts between the pieces of the text: start of a document, end of a broken flow. */
const MARKS: ReadonlySet<string> = new Set(['\u0002', '\u0018']);

/**
 * The offset at which a YAML text nests deeper than its parser can be trusted with, else undefined. Looks at tokens alone:
 * open brackets, and the columns at which blocks are open.
 */
export function tooDeepAt(text: string): number | undefined {
  const columns: number[] = [];
  let brackets = 0;
  let offset = 0;
  let lineStart = 0;
  let scalar = false;
  for (const token of new Lexer().lex(text)) {
    if (token === SCALAR_FOLLOWS) {
      scalar = true;
      continue;
    }
    if (!scalar && MARKS.has(token)) continue;
    const start = offset;
    if (!scalar && (token === '[' || token === '{')) brackets++;
    if (!scalar && (token === ']' || token === '}')) brackets--;
    if (brackets === 0 && (scalar || token.trim() !== '')) openColumn(columns, start - lineStart);
    if (columns.length + brackets > DEEPEST) return start;
    scalar = false;
    offset = start + token.length;
    const newline = token.lastIndexOf('\n');
    if (newline >= 0) lineStart = start + newline + 1;
  }
  return undefined;
}

function openColumn(columns: number[], column: number): void {
  while (columns.length > 0 && columns.at(-1)! > column) columns.pop();
  if (columns.at(-1) !== column) columns.push(column);
}
