/** What a form can ask for. A `checkbox` with options is several boxes (its value a list), one without is a single box. */
export const FIELD_TYPES = [
  'text',
  'textarea',
  'select',
  'multiselect',
  'radio',
  'checkbox',
  'number',
  'slider',
  'date',
  'datetime',
  'boolean',
] as const;

export type FieldType = (typeof FIELD_TYPES)[number];

export const MOST_FIELDS = 50;

export type OptionValue = string | number | boolean;

export interface FieldOption {
  readonly value: OptionValue;
  readonly label: string;
  readonly description?: string;
}

/** A field as `checkFields` gives it: complete, every option an object. */
export type Field = TextField | ChoiceField | ManyField | NumberField | DateField | BooleanField;

interface FieldBase {
  /** The key of the value: an identifier, unique in the form. */
  readonly name: string;
  /** For people; the name where none was given. */
  readonly label: string;
  readonly description?: string;
  /** A value must be given. False where there is a default, which then answers. Any value will do: `false`, 0, `''`, `[]`. */
  readonly required: boolean;
  /** CEL over `values`: the values given and the defaults of fields before this one. The field is asked for only when it holds. */
  readonly showIf?: string;
  /** Its value is kept encrypted, and masked wherever it is shown. */
  readonly sensitive?: true;
}

export interface TextField extends FieldBase {
  readonly type: 'text' | 'textarea';
  readonly placeholder?: string;
  readonly default?: string;
  /** Length in code points. */
  readonly min?: number;
  readonly max?: number;
  /** Matches anywhere in the text unless anchored, as in JSON Schema; linear time, no look-around. */
  readonly pattern?: string;
}

export interface ChoiceField extends FieldBase {
  readonly type: 'select' | 'radio';
  readonly placeholder?: string;
  readonly options: readonly FieldOption[];
  readonly default?: OptionValue;
}

export interface ManyField extends FieldBase {
  readonly type: 'multiselect' | 'checkbox';
  readonly placeholder?: string;
  readonly options: readonly FieldOption[];
  readonly default?: readonly OptionValue[];
  /** How many are chosen. */
  readonly min?: number;
  readonly max?: number;
}

export interface NumberField extends FieldBase {
  readonly type: 'number' | 'slider';
  readonly placeholder?: string;
  readonly default?: number;
  readonly min?: number;
  readonly max?: number;
  /** The value is a multiple of it, counted from 0 and compared in decimal; 1 makes it an integer. */
  readonly step?: number;
  /** Shown beside the number; no part of the value. */
  readonly unit?: string;
}

/**
 * `date`: `YYYY-MM-DD`. `datetime`: RFC 3339 with its offset, kept as written; or a local time, which is read in the
 * request's zone and stored as RFC 3339 in UTC with milliseconds. Bounds are written alike.
 */
export interface DateField extends FieldBase {
  readonly type: 'date' | 'datetime';
  readonly placeholder?: string;
  readonly default?: string;
  readonly min?: string;
  readonly max?: string;
}

export interface BooleanField extends FieldBase {
  readonly type: 'boolean' | 'checkbox';
  readonly options?: undefined;
  readonly default?: boolean;
}
