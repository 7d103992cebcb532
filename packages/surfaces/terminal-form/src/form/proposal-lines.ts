import { type Field, hasKey, isJsonObject, type JsonObject, type JsonValue } from '@signalbox/kernel';
import type { FormTerminal } from '../form-terminal.ts';
import { jsonText } from '../text/printable.ts';
import { factLines } from './fact-lines.ts';
import type { FormRequest } from './form-request.ts';

/** What is proposed by field, with confidence, reason and what else was considered. */
export function proposalLines(terminal: FormTerminal, { proposal, fields }: FormRequest): string[] {
  if (!isJsonObject(proposal)) return [];
  const { words } = terminal;
  const { heading } = words;
  const { values, confidence, reason, alternatives } = proposal;
  const sure = typeof confidence === 'number' ? ` (${heading.confidence} ${Math.round(confidence * 100)}%)` : '';
  const told = isJsonObject(values) ? valuesText(terminal, fields, values) : '';
  return [
    ...(told === '' && sure === '' ? [] : factLines(terminal, `${heading.proposal}${sure}`, told)),
    ...(typeof reason === 'string' ? factLines(terminal, heading.because, reason) : []),
    ...(Array.isArray(alternatives) ? alternatives : []).flatMap(alternative =>
      factLines(terminal, heading.alternative, alternativeText(terminal, fields, alternative)),
    ),
  ];
}

/** What others have approved already, else what is proposed; none where nothing is. */
export function proposedValues({ proposal, standing }: Pick<FormRequest, 'proposal' | 'standing'>): JsonObject {
  if (standing !== undefined) return standing;
  const values = isJsonObject(proposal) ? proposal.values : undefined;
  return isJsonObject(values) ? values : {};
}

/** An alternative is a text, or values with or without a reason of their own. */
function alternativeText(terminal: FormTerminal, fields: readonly Field[], alternative: JsonValue): string {
  if (!isJsonObject(alternative)) return typeof alternative === 'string' ? alternative : jsonText(alternative);
  const { values, reason, ...rest } = alternative;
  const told = [
    ...(isJsonObject(values) ? [valuesText(terminal, fields, values)] : []),
    ...(Object.keys(rest).length === 0 ? [] : [valuesText(terminal, fields, rest)]),
    ...(typeof reason === 'string' ? [reason] : []),
  ];
  return told.join(' — ');
}

/** `Label: value` in the order of the fields, options by their labels. */
function valuesText({ words }: FormTerminal, fields: readonly Field[], values: JsonObject): string {
  const known = fields.filter(({ name }) => hasKey(values, name));
  const others = Object.keys(values).filter(name => !known.some(field => field.name === name));
  const texts = [
    ...known.map(field => `${field.label}${words.colon}${valueText(words, field, values[field.name]!)}`),
    ...others.map(name => `${name}${words.colon}${jsonText(values[name])}`),
  ];
  return texts.join(words.comma);
}

function valueText({ field: { yes, no } }: FormTerminal['words'], field: Field, value: JsonValue): string {
  if (Array.isArray(value)) return value.map(each => optionText(field, each)).join(' + ');
  if (typeof value === 'boolean' && !('options' in field && field.options !== undefined)) return value ? yes : no;
  const unit = 'unit' in field && field.unit !== undefined ? ` ${field.unit}` : '';
  return optionText(field, value) + unit;
}

function optionText(field: Field, value: JsonValue): string {
  const option = 'options' in field ? field.options?.find(each => each.value === value) : undefined;
  return option?.label ?? (typeof value === 'string' ? value : jsonText(value));
}
