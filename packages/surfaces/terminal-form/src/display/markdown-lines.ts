import { type MarkedToken, marked, type Token, type Tokens } from 'marked';
import type { DisplayPage } from '../form-terminal.ts';
import { printable, printableLines } from '../text/printable.ts';
import { wrap } from '../text/wrap.ts';
import { tableLines } from './table-lines.ts';

/** CommonMark and its tables as lines for a terminal. HTML is shown as the text that it is, links with where they lead. */
export function markdownLines(terminal: DisplayPage, text: string, width: number): string[] {
  return blocksLines(terminal, marked.lexer(text), width);
}

function blocksLines(terminal: DisplayPage, tokens: readonly Token[], width: number): string[] {
  const blocks = tokens.filter(({ type }) => type !== 'space' && type !== 'def');
  // What follows a `text` belongs to the same item of a tight list.
  return blocks.flatMap((token, index) => [
    ...(index === 0 || token.type === 'text' || blocks[index - 1]!.type === 'text' ? [] : ['']),
    ...blockLines(terminal, token as MarkedToken, Math.max(10, width)),
  ]);
}

function blockLines(terminal: DisplayPage, token: MarkedToken, width: number): string[] {
  const { paint } = terminal;
  switch (token.type) {
    case 'heading': {
      const lines = flow(inlineText(token.tokens), width);
      const rule = token.depth === 1 ? ['═'.repeat(Math.min(width, 40))] : [];
      return [...lines.map(paint.bold), ...rule];
    }
    case 'code':
      return printableLines(token.text)
        .flatMap(line => wrap(line, width - 2))
        .map(line => `  ${paint.cyan(line)}`);
    case 'blockquote':
      return blocksLines(terminal, token.tokens, width - 2).map(line => `│ ${line}`);
    case 'list':
      return token.items.flatMap((item, index) => itemLines(terminal, token, item, index, width));
    case 'hr':
      return ['─'.repeat(Math.min(width, 40))];
    case 'table':
      return markdownTable(terminal, token, width);
    case 'paragraph':
    case 'text':
      return flow(inlineText(token.tokens ?? [token]), width);
    default:
      return printableLines(token.raw.trimEnd()).flatMap(line => wrap(line, width));
  }
}

function itemLines(
  terminal: DisplayPage,
  { ordered, start }: Tokens.List,
  { tokens, task, checked }: Tokens.ListItem,
  index: number,
  width: number,
): string[] {
  const box = task ? (checked === true ? '[x] ' : '[ ] ') : '';
  const mark = (ordered ? `${Number(start === '' ? 1 : start) + index}. ` : '• ') + box;
  const content = tokens.filter(({ type }) => type !== 'checkbox');
  const indent = ' '.repeat(mark.length);
  return blocksLines(terminal, content, width - mark.length).map((line, row) =>
    ((row === 0 ? mark : indent) + line).trimEnd(),
  );
}

function markdownTable({ paint }: DisplayPage, { header, rows, align }: Tokens.Table, width: number): string[] {
  const cell = ({ tokens }: Tokens.TableCell) => printable(inlineText(tokens));
  return tableLines(
    {
      columns: header.map((each, column) => ({ label: cell(each), align: align[column] ?? 'left' })),
      rows: rows.map(row => row.map(cell)),
      bold: paint.bold,
    },
    width,
  );
}

function flow(text: string, width: number): string[] {
  return printableLines(text).flatMap(line => wrap(line, width));
}

/** Emphasis is what the writer typed without its marks; a line break stays one. */
function inlineText(tokens: readonly Token[]): string {
  return tokens.map(token => ofInline(token as MarkedToken)).join('');
}

function ofInline(token: MarkedToken): string {
  switch (token.type) {
    case 'strong':
    case 'em':
    case 'del':
      return inlineText(token.tokens);
    case 'codespan':
      return `\`${token.text}\``;
    case 'br':
      return '\n';
    case 'link':
      return token.text === token.href ? token.href : `${inlineText(token.tokens)} (${token.href})`;
    case 'image':
      return `[${token.text}] (${token.href})`;
    case 'text':
      return token.tokens === undefined ? unescaped(token.text) : inlineText(token.tokens);
    case 'escape':
      return unescaped(token.text);
    default:
      return token.raw;
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

/** The five marks that the parser itself may have written as entities. */
function unescaped(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|#39);/g, entity => ENTITIES[entity]!);
}
