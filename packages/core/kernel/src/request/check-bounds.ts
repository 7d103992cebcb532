import { patternProblem } from '../schema/pattern.ts';
import type { FieldType } from './field.ts';
import type { MemberReader } from './member-reader.ts';
import { positionOf } from './validate-value.ts';

/** The members of a field that bound its values, those that are right; `zone` reads local dates and times. */
export function readBounds(type: FieldType, reader: MemberReader, zone: string): object {
  switch (type) {
    case 'text':
    case 'textarea':
      return { ...readRange(reader, key => reader.count(key)), ...readPattern(reader) };
    case 'multiselect':
    case 'checkbox':
      return reader.has('options') ? readRange(reader, key => reader.count(key)) : {};
    case 'number':
    case 'slider':
      return { ...readRange(reader, key => reader.number(key)), ...readStep(reader), ...readUnit(reader) };
    case 'date':
    case 'datetime':
      return readDateRange(type, reader, zone);
    default:
      return {};
  }
}

function readRange(reader: MemberReader, read: (key: string) => number | undefined): object {
  const [min, max] = [read('min'), read('max')];
  if (min !== undefined && max !== undefined && min > max) emptyRange(reader, min, max);
  return { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
}

function emptyRange(reader: MemberReader, min: number | string, max: number | string): void {
  reader.fault('EmptyRange', 'min', `No value lies between ${min} and ${max}.`, 'Is `min` more than `max`?');
}

function readDateRange(type: 'date' | 'datetime', reader: MemberReader, zone: string): object {
  const [min, max] = ['min', 'max'].map(key => {
    const text = reader.text(key);
    const position = text === undefined ? undefined : positionOf({ type }, text, zone);
    if (text !== undefined && position === undefined) {
      reader.fault(
        'InvalidField',
        key,
        `\`${key}\` must be a ${type === 'date' ? 'day' : 'date and time'} that exists.`,
      );
    }
    return { text, position };
  });
  const [low, high] = [min?.position, max?.position];
  if (low !== undefined && high !== undefined && low > high) emptyRange(reader, min!.text!, max!.text!);
  return {
    ...(low === undefined ? {} : { min: min!.text }),
    ...(high === undefined ? {} : { max: max!.text }),
  };
}

function readStep(reader: MemberReader): object {
  const step = reader.number('step');
  if (step === undefined) return {};
  if (step > 0) return { step };
  reader.fault('InvalidStep', 'step', '`step` must be more than 0.');
  return {};
}

function readPattern(reader: MemberReader): object {
  const pattern = reader.text('pattern');
  const problem = pattern === undefined ? undefined : patternProblem(pattern);
  if (problem === undefined) return pattern === undefined ? {} : { pattern };
  const hint = 'Patterns run in linear time: no look-around, no back references.';
  reader.fault('InvalidPattern', 'pattern', `The pattern cannot be used: ${problem}.`, hint);
  return {};
}

function readUnit(reader: MemberReader): object {
  const unit = reader.text('unit');
  return unit === undefined ? {} : { unit };
}
