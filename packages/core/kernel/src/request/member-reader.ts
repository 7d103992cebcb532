import { type Fault, pointerTo } from '../error/fault.ts';
import { hasKey, type JsonObject, type JsonValue } from '../json/value.ts';
import { kindOf } from '../schema/issue.ts';

/** Reads the members of one written object by their types, and keeps a fault for each that has another. */
export class MemberReader {
  readonly faults: Fault[] = [];
  private readonly source: JsonObject;
  private readonly pointer: string;

  constructor(source: JsonObject, pointer: string) {
    this.source = source;
    this.pointer = pointer;
  }

  has(key: string): boolean {
    return hasKey(this.source, key);
  }

  get(key: string): JsonValue | undefined {
    return this.has(key) ? this.source[key] : undefined;
  }

  place(key: string): string {
    return pointerTo(this.pointer, key);
  }

  text(key: string): string | undefined {
    const value = this.get(key);
    if (value === undefined || typeof value === 'string') return value;
    if (typeof value === 'number' || typeof value === 'boolean') this.faults.push(textWanted(this.place(key), key));
    else this.wrong(key, 'a text', value);
    return undefined;
  }

  flag(key: string): boolean | undefined {
    const value = this.get(key);
    if (value === undefined || typeof value === 'boolean') return value;
    this.wrong(key, 'true or false', value);
    return undefined;
  }

  number(key: string): number | undefined {
    const value = this.get(key);
    if (value === undefined || (typeof value === 'number' && Number.isFinite(value))) return value;
    this.wrong(key, 'a number', value);
    return undefined;
  }

  count(key: string): number | undefined {
    const value = this.number(key);
    if (value === undefined || (Number.isSafeInteger(value) && value >= 0)) return value;
    this.fault('InvalidField', key, `\`${key}\` must be a whole number, 0 or more.`);
    return undefined;
  }

  wrong(key: string, wanted: string, value: JsonValue): void {
    this.fault('InvalidField', key, `\`${key}\` must be ${wanted}, not ${kindOf(value)}.`);
  }

  fault(code: string, key: string, message: string, hint?: string): void {
    this.faults.push(errorAt(this.place(key), code, message, hint));
  }
}

export function errorAt(pointer: string, code: string, message: string, hint?: string): Fault {
  return { code, severity: 'error', pointer, message, ...(hint === undefined ? {} : { hint }) };
}

/** A number or a word where a text is wanted is mostly a text that YAML took for something else. */
export function textWanted(pointer: string, key: string): Fault {
  return errorAt(pointer, 'TextWanted', `\`${key}\` must be a text.`, 'Quote it, as in "1.10" or "yes".');
}
