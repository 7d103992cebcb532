import type { JsonObject, JsonValue } from '../json/value.ts';

export const DISPLAY_TYPES = ['table', 'text', 'ascii', 'markdown', 'json', 'diff'] as const;

export type DisplayType = (typeof DISPLAY_TYPES)[number];

/** Something shown beside a question, as `checkDisplays` gives it: complete. Whoever shows it must take no text in it for markup. */
export type Display = TableDisplay | TextDisplay | JsonDisplay | DiffDisplay;

interface DisplayBase {
  readonly title?: string;
}

export interface TableDisplay extends DisplayBase {
  readonly type: 'table';
  /** In the order in which they are shown; the keys of the rows in order of appearance, where none were given. */
  readonly columns: readonly TableColumn[];
  readonly rows: readonly JsonObject[];
}

export interface TableColumn {
  /** Of a row. */
  readonly key: string;
  readonly label: string;
  readonly unit?: string;
  readonly align?: 'left' | 'right' | 'center';
}

/** `ascii` keeps its columns: a font of one width, no wrapping. `markdown` is CommonMark without HTML. */
export interface TextDisplay extends DisplayBase {
  readonly type: 'text' | 'ascii' | 'markdown';
  readonly text: string;
}

export interface JsonDisplay extends DisplayBase {
  readonly type: 'json';
  readonly value: JsonValue;
}

/** Two texts are compared line by line, other values member by member. */
export interface DiffDisplay extends DisplayBase {
  readonly type: 'diff';
  readonly before: JsonValue;
  readonly after: JsonValue;
}
