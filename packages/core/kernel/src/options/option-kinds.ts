import { SignalboxError } from '../error/error.ts';
import { closest } from '../schema/closest.ts';

/** What an option is to be, in words that fit behind "is to be", and whether a value is that. */
export interface OptionKind {
  readonly what: string;
  readonly fits: (value: unknown) => boolean;
  readonly hint?: string;
}

/** By the name of an option, keyed by all of them: what there is and what each is to be. */
export type OptionKinds<Options> = Readonly<Record<keyof Options, OptionKind>>;

export const TEXT: OptionKind = {
  what: 'a text that is not empty',
  fits: value => typeof value === 'string' && value !== '',
};
/** Also the empty one, which stands for the root token. */
export const STRING: OptionKind = { what: 'a text', fits: value => typeof value === 'string' };
export const NUMBER: OptionKind = {
  what: 'a number',
  fits: value => typeof value === 'number' && Number.isFinite(value),
};
export const FLAG: OptionKind = { what: 'true or false', fits: value => typeof value === 'boolean' };
export const FUNCTION: OptionKind = { what: 'a function', fits: value => typeof value === 'function' };
export const OBJECT: OptionKind = { what: 'an object', fits: isObject };
/** Whatever the one who takes it says of it. */
export const ANYTHING: OptionKind = { what: 'anything', fits: () => true };

export function wholeNumber(least: number): OptionKind {
  return {
    what: `a whole number from ${least}`,
    fits: value => Number.isSafeInteger(value) && (value as number) >= least,
  };
}

/** A length of time in ms. */
export function milliseconds(least: number): OptionKind {
  return {
    what: `a number of milliseconds from ${least}`,
    fits: value => typeof value === 'number' && Number.isFinite(value) && value >= least,
    hint: 'Options of a box count in milliseconds; durations such as `30s` are for graphs and contracts.',
  };
}

export function oneOf(...values: readonly string[]): OptionKind {
  return { what: `one of ${values.join(', ')}`, fits: value => values.includes(value as string) };
}

export function listOf(what: string, fits: (item: unknown) => boolean, hint?: string): OptionKind {
  return {
    what: `a list of ${what}`,
    fits: value => Array.isArray(value) && value.every(fits),
    ...(hint === undefined ? {} : { hint }),
  };
}

/** An object, or an instance of a class, that has these methods. @param what it is called */
export function withMethods(what: string, methods: readonly string[], hint?: string): OptionKind {
  return { what, fits: value => hasMethods(value, methods), ...(hint === undefined ? {} : { hint }) };
}

/** A function may stand for an object with methods: a class with static ones does. */
export function hasMethods(value: unknown, methods: readonly string[]): boolean {
  if (!isObject(value) && typeof value !== 'function') return false;
  return methods.every(name => typeof (value as Readonly<Record<string, unknown>>)[name] === 'function');
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Looks at options before anything is made of them. One that is undefined counts as left out. The value itself is not told: it
 * may be a secret.
 *
 * @param of whose options they are, as it is called: `createSignalbox`, `box.start`.
 * @throws SignalboxError `InvalidOptions`, `details`: `of`, and `option` where it is one of them.
 */
export function checkOptions<Options extends object>(
  of: string,
  options: unknown,
  kinds: OptionKinds<Options>,
  required: readonly (keyof Options & string)[] = [],
): void {
  if (!isObject(options))
    throw invalid(
      `The options of \`${of}\` are an object; they are ${kindOf(options)}.`,
      { of },
      `Write ${of}({ … }).`,
    );
  for (const [option, value] of Object.entries(options)) {
    const kind = Object.hasOwn(kinds, option) ? kinds[option as keyof Options] : undefined;
    if (kind === undefined) throw unknownOption(of, option, Object.keys(kinds));
    if (value === undefined || kind.fits(value)) continue;
    const message = `The option \`${option}\` of \`${of}\` is to be ${kind.what}; it is ${kindOf(value)}.`;
    throw invalid(message, { of, option }, kind.hint ?? 'The types of the package say what each option takes.');
  }
  for (const option of required)
    if ((options as Options)[option] === undefined)
      throw invalid(
        `\`${of}\` needs the option \`${option}\`: ${kinds[option].what}.`,
        { of, option },
        kinds[option].hint ?? '',
      );
}

function unknownOption(of: string, option: string, known: readonly string[]): SignalboxError {
  const meant = closest(option, known);
  const hint = meant === undefined ? `There are ${known.join(', ')}.` : `Did you mean \`${meant}\`?`;
  return invalid(`\`${of}\` has no option \`${option}\`.`, { of, option }, hint);
}

function invalid(message: string, details: Readonly<Record<string, string>>, hint: string): SignalboxError {
  return new SignalboxError('InvalidOptions', message, { hint, details });
}

/** Of what is given without a name. @param what it is to be */
export function invalidArgument(of: string, argument: string, what: string, value: unknown): SignalboxError {
  const message = `\`${of}\` wants ${what}; it was given ${kindOf(value)}.`;
  return invalid(message, { of, option: argument }, 'The types of the package say what each call takes.');
}

/** `a text`, `null`, `a list`: what a value is, without telling it. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'undefined';
  if (Array.isArray(value)) return 'a list';
  switch (typeof value) {
    case 'string':
      return value === '' ? 'an empty text' : 'a text';
    case 'boolean':
      return String(value);
    case 'number':
      return `the number ${value}`;
    case 'object':
      return 'an object';
    default:
      return `a ${typeof value}`;
  }
}
