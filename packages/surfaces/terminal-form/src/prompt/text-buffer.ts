import { displayWidth, graphemes } from '../text/width.ts';
import { isCtrl, type Key } from './key.ts';

/** A text that is being written. `cursor` is a place between two graphemes, in code units. */
export interface TextBuffer {
  readonly text: string;
  readonly cursor: number;
}

export function bufferOf(text: string): TextBuffer {
  return { text, cursor: text.length };
}

export function insert({ text, cursor }: TextBuffer, added: string): TextBuffer {
  return { text: text.slice(0, cursor) + added + text.slice(cursor), cursor: cursor + added.length };
}

/** What a key does to the text beside typing; undefined: nothing. */
export function edit(buffer: TextBuffer, key: Key): TextBuffer | undefined {
  const byName = key.ctrl || key.meta ? undefined : EDITS[key.name ?? ''];
  const byLetter = key.ctrl ? CONTROLS.find(([letter]) => isCtrl(key, letter))?.[1] : undefined;
  return (byName ?? byLetter)?.(buffer);
}

type Edit = (buffer: TextBuffer) => TextBuffer;

const moveTo =
  (place: (buffer: TextBuffer) => number): Edit =>
  buffer => ({ text: buffer.text, cursor: place(buffer) });

const removeTo =
  (place: (buffer: TextBuffer) => number): Edit =>
  buffer => {
    const [from, to] = [place(buffer), buffer.cursor].sort((a, b) => a - b) as [number, number];
    return { text: buffer.text.slice(0, from) + buffer.text.slice(to), cursor: from };
  };

const left = ({ text, cursor }: TextBuffer) => cursor - (graphemes(text.slice(0, cursor)).at(-1)?.length ?? 0);
const right = ({ text, cursor }: TextBuffer) => cursor + (graphemes(text.slice(cursor))[0]?.length ?? 0);
/** A search from before the first place would look at the first. */
const lineStart = ({ text, cursor }: TextBuffer) => (cursor === 0 ? 0 : text.lastIndexOf('\n', cursor - 1) + 1);
const lineEnd = ({ text, cursor }: TextBuffer) => {
  const end = text.indexOf('\n', cursor);
  return end < 0 ? text.length : end;
};
const wordStart = ({ text, cursor }: TextBuffer) => text.slice(0, cursor).search(/\S+\s*$|^\s*$/u);

/** The place of the same column in the line above or below; the text's start or end where there is none. */
const lineUp = (buffer: TextBuffer): number => {
  const start = lineStart(buffer);
  return start === 0 ? 0 : sameColumn(buffer, lineStart({ text: buffer.text, cursor: start - 1 }), start - 1);
};
const lineDown = (buffer: TextBuffer): number => {
  const end = lineEnd(buffer);
  if (end === buffer.text.length) return end;
  return sameColumn(buffer, end + 1, lineEnd({ text: buffer.text, cursor: end + 1 }));
};

function sameColumn(buffer: TextBuffer, from: number, to: number): number {
  const column = displayWidth(buffer.text.slice(lineStart(buffer), buffer.cursor));
  let place = from;
  for (const character of graphemes(buffer.text.slice(from, to))) {
    if (displayWidth(buffer.text.slice(from, place + character.length)) > column) break;
    place += character.length;
  }
  return place;
}

const EDITS: Readonly<Record<string, Edit>> = {
  left: moveTo(left),
  right: moveTo(right),
  up: moveTo(lineUp),
  down: moveTo(lineDown),
  home: moveTo(lineStart),
  end: moveTo(lineEnd),
  backspace: removeTo(left),
  delete: removeTo(right),
};

const CONTROLS: readonly (readonly [string, Edit])[] = [
  ['a', moveTo(lineStart)],
  ['e', moveTo(lineEnd)],
  ['b', moveTo(left)],
  ['f', moveTo(right)],
  ['p', moveTo(lineUp)],
  ['n', moveTo(lineDown)],
  ['h', removeTo(left)],
  ['u', removeTo(lineStart)],
  ['k', removeTo(lineEnd)],
  ['w', removeTo(wordStart)],
];
