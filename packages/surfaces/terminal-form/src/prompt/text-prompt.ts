import type { FormTerminal } from '../form-terminal.ts';
import { cutToWidth } from '../text/width.ts';
import { wrap } from '../text/wrap.ts';
import { isCtrl, isEnter, type Key } from './key.ts';
import type { PromptModel, PromptView } from './prompt-model.ts';
import { bufferOf, edit, insert, type TextBuffer } from './text-buffer.ts';
import { textRows } from './text-rows.ts';

export interface TextPromptOptions {
  /** Printable lines that name what is asked. */
  readonly heading: readonly string[];
  /** What stands there already; undefined: no answer. */
  readonly start: string | undefined;
  /** Enter begins a line, Ctrl-D ends the text. */
  readonly multiline: boolean;
  /** Shown dim in an empty line that is no answer, such as a placeholder. */
  readonly ghost: string;
  readonly keys: string;
  /** Undefined: it is fine. What is wrong with the text; with no answer where it is undefined. */
  faultOf(text: string | undefined): string | undefined;
  /** What the text stands for, shown below it; '' where that is plain. */
  readonly meaning?: (text: string) => string;
  /** The answer as it is shown when the prompt is over. */
  readonly closing: (text: string | undefined) => readonly string[];
}

export interface TextState {
  readonly buffer: TextBuffer;
  /** The empty line is an empty text and not "no answer". */
  readonly isEmptyText: boolean;
  readonly fault: string | undefined;
}

const MARK = '› ';
const MOST_ROWS = 10;

/** A text of one line or several. No answer and an empty text are two things; Ctrl-X tells which an empty line is. */
export function textPrompt(
  terminal: FormTerminal,
  options: TextPromptOptions,
): PromptModel<TextState, string | undefined> {
  const { start, multiline } = options;
  const textOf = ({ buffer, isEmptyText }: TextState) => (buffer.text !== '' || isEmptyText ? buffer.text : undefined);

  const take = (state: TextState) => {
    const value = textOf(state);
    const fault = options.faultOf(value);
    return fault === undefined ? { value } : { state: { ...state, fault } };
  };
  return {
    takesCtrlD: multiline,
    start: { buffer: bufferOf(start ?? ''), isEmptyText: start === '', fault: undefined },
    press(state, key) {
      if (isEnter(key) && (!multiline || (state.buffer.text === '' && !state.isEmptyText))) return take(state);
      if (isCtrl(key, 'd')) return take(state);
      if (isCtrl(key, 'x')) return { state: crossedOut(state) };
      const buffer = edit(state.buffer, key) ?? typed(state.buffer, key, multiline);
      if (buffer === undefined) return { state };
      return { state: { buffer, isEmptyText: false, fault: undefined } };
    },
    view: state => viewOf(terminal, options, state),
    closing: options.closing,
  };
}

/** A text is crossed out; an empty line is made "no answer" or an empty text in turn. */
function crossedOut({ buffer, isEmptyText }: TextState): TextState {
  return { buffer: bufferOf(''), isEmptyText: buffer.text === '' && !isEmptyText, fault: undefined };
}

function typed(buffer: TextBuffer, key: Key, multiline: boolean): TextBuffer | undefined {
  if (multiline && isEnter(key)) return insert(buffer, '\n');
  if (multiline && key.name === 'tab') return insert(buffer, '\t');
  return key.text === '' ? undefined : insert(buffer, key.text);
}

function viewOf(terminal: FormTerminal, options: TextPromptOptions, state: TextState): PromptView {
  const { paint, width, words } = terminal;
  const { heading, keys, ghost, meaning } = options;
  const { buffer, isEmptyText, fault } = state;
  const { rows, row, place } = textRows(buffer, width - MARK.length - 1);
  const from = Math.max(0, Math.min(row - MOST_ROWS + 1, rows.length - MOST_ROWS));
  const shown = rows.slice(from, from + MOST_ROWS).map((text, index) => (from + index === 0 ? MARK : '  ') + text);
  const current = row - from;
  const stands = isEmptyText ? words.field.empty : ghost;
  const hint = buffer.text === '' && stands !== '' ? paint.dim(cutToWidth(stands, width - MARK.length - 1)) : '';
  const meant = buffer.text === '' ? '' : (meaning?.(buffer.text) ?? '');
  return {
    above: [...heading, ...shown.slice(0, current)],
    line: shown[current]! + hint,
    cursor: MARK.length + place,
    below: [
      ...shown.slice(current + 1),
      ...(meant === '' ? [] : [paint.dim(meant)]),
      ...(fault === undefined ? [] : wrap(`! ${fault}`, width - 1).map(paint.red)),
      ...wrap(keys, width - 1).map(paint.dim),
    ],
  };
}
