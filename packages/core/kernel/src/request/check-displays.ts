import { type Fault, pointerTo } from '../error/fault.ts';
import { DANGEROUS_KEYS, isJsonObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { closest } from '../schema/closest.ts';
import { kindOf } from '../schema/issue.ts';
import { DISPLAY_TYPES, type Display, type DisplayType, type TableColumn } from './display.ts';
import { errorAt, MemberReader, textWanted } from './member-reader.ts';

const KEYS: Readonly<Record<DisplayType, readonly string[]>> = {
  table: ['type', 'title', 'columns', 'rows'],
  text: ['type', 'title', 'text'],
  ascii: ['type', 'title', 'text'],
  markdown: ['type', 'title', 'text'],
  json: ['type', 'title', 'value'],
  diff: ['type', 'title', 'before', 'after'],
};

const COLUMN_KEYS = ['key', 'label', 'unit', 'align'];
const ALIGNMENTS = ['left', 'right', 'center'] as const;

export interface DisplayChecks {
  /** `{ cel: … }` may stand for a title, a text, the rows, a row, a cell or a value until the question is opened. */
  readonly templates?: boolean;
}

/**
 * Reads what is shown beside a question, and finds all that is wrong with it at once. A display is fit for use when no
 * fault is an error; with `templates`, once it is filled and checked again.
 *
 * Codes: `InvalidDisplay` (a member of the wrong kind), `UnknownDisplayType`, `MissingKey`, `UnknownKey`, `DangerousKey`,
 * `TextWanted`.
 */
export function checkDisplays(
  displays: unknown,
  pointer: string,
  checks: DisplayChecks = {},
): { displays: Display[]; faults: Fault[] } {
  if (!Array.isArray(displays))
    return { displays: [], faults: [errorAt(pointer, 'InvalidDisplay', 'Displays must be a list.')] };
  const faults: Fault[] = [];
  const read = (displays as readonly JsonValue[]).flatMap((source, index) => {
    const place = pointerTo(pointer, index);
    if (!isJsonObject(source)) {
      faults.push(errorAt(place, 'InvalidDisplay', 'A display must be an object.'));
      return [];
    }
    const reader = new DisplayReader(source, place, checks.templates === true);
    const display = readDisplay(source, reader);
    faults.push(...reader.faults);
    return display === undefined ? [] : [display];
  });
  return { displays: read, faults };
}

/** Reads members that may be templates, which count as fit. */
class DisplayReader extends MemberReader {
  readonly templates: boolean;

  constructor(source: JsonObject, pointer: string, templates: boolean) {
    super(source, pointer);
    this.templates = templates;
  }

  isTemplate(value: JsonValue | undefined): boolean {
    return this.templates && isJsonObject(value) && typeof value.cel === 'string' && Object.keys(value).length === 1;
  }

  filled(key: string): string | undefined {
    return this.isTemplate(this.get(key)) ? '' : this.text(key);
  }

  needed(key: string, what = 'A display'): boolean {
    if (this.has(key)) return true;
    this.fault('MissingKey', key, `${what} needs \`${key}\`.`);
    return false;
  }

  override wrong(key: string, wanted: string, value: JsonValue): void {
    this.fault('InvalidDisplay', key, `\`${key}\` must be ${wanted}, not ${kindOf(value)}.`);
  }
}

function readDisplay(source: JsonObject, reader: DisplayReader): Display | undefined {
  const type = readType(reader);
  if (type === undefined) return undefined;
  checkKeys(source, KEYS[type], `A ${type} display`, reader);
  const title = reader.filled('title');
  const base = title === undefined ? {} : { title };
  switch (type) {
    case 'table':
      return { type, ...base, ...readTable(reader) };
    case 'json':
      return reader.needed('value') ? { type, ...base, value: reader.get('value')! } : undefined;
    case 'diff': {
      const whole = [reader.needed('before'), reader.needed('after')].every(Boolean);
      return whole ? { type, ...base, before: reader.get('before')!, after: reader.get('after')! } : undefined;
    }
    default:
      return reader.needed('text') ? { type, ...base, text: reader.filled('text') ?? '' } : undefined;
  }
}

function readType(reader: DisplayReader): DisplayType | undefined {
  if (!reader.needed('type')) return undefined;
  const type = reader.text('type');
  const known = DISPLAY_TYPES.find(one => one === type);
  if (type === undefined || known !== undefined) return known;
  const meant = closest(type, DISPLAY_TYPES);
  const hint = meant === undefined ? `The types are ${DISPLAY_TYPES.join(', ')}.` : `Did you mean \`${meant}\`?`;
  reader.fault('UnknownDisplayType', 'type', `There is no display "${type}".`, hint);
  return undefined;
}

function checkKeys(source: JsonObject, known: readonly string[], what: string, reader: MemberReader): void {
  for (const key of Object.keys(source)) {
    if (known.includes(key)) continue;
    if (DANGEROUS_KEYS.has(key)) {
      reader.fault('DangerousKey', key, `\`${key}\` is not allowed as a key.`);
      continue;
    }
    const meant = closest(
      key,
      known.filter(name => !reader.has(name)),
    );
    const hint = meant === undefined ? `${what} has ${known.join(', ')}.` : `Did you mean \`${meant}\`?`;
    reader.fault('UnknownKey', key, `${what} has no \`${key}\`.`, hint);
  }
}

function readTable(reader: DisplayReader): { columns: readonly TableColumn[]; rows: readonly JsonObject[] } {
  const rows = readRows(reader);
  return { columns: reader.has('columns') ? readColumns(reader) : columnsOf(rows), rows };
}

function columnsOf(rows: readonly JsonObject[]): TableColumn[] {
  const keys = new Set(rows.flatMap(row => Object.keys(row)));
  return [...keys].map(key => ({ key, label: key }));
}

function readRows(reader: DisplayReader): readonly JsonObject[] {
  if (!reader.needed('rows')) return [];
  const rows = reader.get('rows')!;
  if (reader.isTemplate(rows)) return [];
  if (!Array.isArray(rows)) {
    reader.wrong('rows', 'a list', rows);
    return [];
  }
  return (rows as readonly JsonValue[]).flatMap((row, index) => {
    if (reader.isTemplate(row)) return [];
    if (isJsonObject(row)) return [row];
    const place = pointerTo(reader.place('rows'), index);
    reader.faults.push(errorAt(place, 'InvalidDisplay', 'A row must be an object.'));
    return [];
  });
}

function readColumns(reader: DisplayReader): TableColumn[] {
  const columns = reader.get('columns')!;
  if (!Array.isArray(columns)) {
    reader.wrong('columns', 'a list', columns);
    return [];
  }
  const seen = new Set<string>();
  return (columns as readonly JsonValue[]).flatMap((source, index) => {
    const place = pointerTo(reader.place('columns'), index);
    const column = readColumn(source, place, reader.faults);
    if (column === undefined) return [];
    if (seen.has(column.key))
      reader.faults.push(errorAt(place, 'DuplicateName', `Column "${column.key}" is there twice.`));
    seen.add(column.key);
    return [column];
  });
}

/** The key alone, or `{ key, label, unit, align }`. */
function readColumn(source: JsonValue, pointer: string, faults: Fault[]): TableColumn | undefined {
  if (typeof source === 'string') return { key: source, label: source };
  if (!isJsonObject(source)) {
    const isScalar = typeof source === 'number' || typeof source === 'boolean';
    faults.push(
      isScalar ? textWanted(pointer, 'key') : errorAt(pointer, 'InvalidDisplay', 'A column is a key or a map.'),
    );
    return undefined;
  }
  const column = new DisplayReader(source, pointer, false);
  checkKeys(source, COLUMN_KEYS, 'A column', column);
  column.needed('key', 'A column');
  const [key, label, unit, align] = [
    column.text('key'),
    column.text('label'),
    column.text('unit'),
    column.text('align'),
  ];
  const alignment = ALIGNMENTS.find(one => one === align);
  if (align !== undefined && alignment === undefined)
    column.fault('InvalidDisplay', 'align', `\`align\` must be one of ${ALIGNMENTS.join(', ')}.`);
  faults.push(...column.faults);
  if (key === undefined) return undefined;
  return {
    key,
    label: label ?? key,
    ...(unit === undefined ? {} : { unit }),
    ...(alignment === undefined ? {} : { align: alignment }),
  };
}
