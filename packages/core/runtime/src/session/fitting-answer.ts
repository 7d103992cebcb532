import { type Field, type JsonObject, type JsonValue, type RequestState, validateValues } from '@signalbox/kernel';
import type { RequestView } from '../views/request-view.ts';

/**
 * The values that a message gives as the answer to a question, or undefined where it does not fit: only a choice, or a
 * form in which one field is to be filled in, can be answered by a text. Never an approval.
 */
export function fittingAnswer(
  question: Pick<RequestView, 'kind' | 'fields' | 'about' | 'subject'>,
  message: JsonValue,
  zone: string,
): JsonObject | undefined {
  const isAsked = question.kind === 'choice' || question.kind === 'form';
  if (typeof message !== 'string' || !isAsked || isApproval(question)) return undefined;
  const field = fieldToFill(question.fields);
  const value = field === undefined ? undefined : valueIn(field, message.trim());
  if (field === undefined || value === undefined) return undefined;
  const valid = validateValues(question.fields, { [field.name]: value }, { zone, isShown: () => true });
  return valid.ok ? { [field.name]: value } : undefined;
}

function isApproval({ about, subject }: { readonly about: RequestState['about']; readonly subject?: string }): boolean {
  return about !== 'ask' || subject !== undefined;
}

/** The one that must be filled in; of several that may, none is meant more than another. */
function fieldToFill(fields: readonly Field[]): Field | undefined {
  const required = fields.filter(field => field.required === true && !Object.hasOwn(field, 'default'));
  const meant = required.length > 0 ? required : fields;
  return meant.length === 1 && meant[0]!.showIf === undefined ? meant[0] : undefined;
}

function valueIn(field: Field, text: string): JsonValue | undefined {
  switch (field.type) {
    case 'select':
    case 'radio': {
      const { options } = field;
      const same = (other: unknown) => String(other).toLowerCase() === text.toLowerCase();
      return Array.isArray(options) ? options.find(({ value, label }) => same(value) || same(label))?.value : undefined;
    }
    case 'number':
    case 'slider':
      return text === '' || Number.isNaN(Number(text)) ? undefined : Number(text);
    case 'text':
    case 'textarea':
    case 'date':
    case 'datetime':
      return text === '' ? undefined : text;
    default:
      return undefined;
  }
}
