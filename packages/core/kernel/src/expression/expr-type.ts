/**
 * The types that expressions are checked with: JSON's own, with integers apart from doubles, plus the two time types
 * that CEL knows. `dyn` stands for "not known": everything is allowed on it and checked when it is evaluated.
 */
export type ExprType =
  | { readonly kind: 'dyn' | 'null' | 'bool' | 'int' | 'double' | 'timestamp' | 'duration' }
  /** `values`: the only texts it can hold (an enum, a constant), where they are known. */
  | { readonly kind: 'string'; readonly values?: readonly string[] }
  | { readonly kind: 'list'; readonly items: ExprType }
  /** Any text as key; whether a key is there is not known, and not asked for by the checker. */
  | { readonly kind: 'map'; readonly values: ExprType }
  /** `open`: keys other than those in `props` may be read (as `dyn`). */
  | { readonly kind: 'object'; readonly props: Readonly<Record<string, ExprProperty>>; readonly open: boolean }
  | { readonly kind: 'union'; readonly of: readonly ExprType[] };

export interface ExprProperty {
  readonly type: ExprType;
  /** May be absent: the checker asks for `has` or `orValue` before it is read. */
  readonly optional: boolean;
}

export const DYN: ExprType = { kind: 'dyn' };
export const NULL: ExprType = { kind: 'null' };
export const BOOL: ExprType = { kind: 'bool' };
export const INT: ExprType = { kind: 'int' };
export const DOUBLE: ExprType = { kind: 'double' };
export const STRING: ExprType = { kind: 'string' };
export const TIMESTAMP: ExprType = { kind: 'timestamp' };
export const DURATION: ExprType = { kind: 'duration' };

export function listOf(items: ExprType): ExprType {
  return { kind: 'list', items };
}

export function mapOf(values: ExprType): ExprType {
  return { kind: 'map', values };
}

/** A closed object unless `open`. Properties named in `optional` may be absent. */
export function objectOf(
  props: Readonly<Record<string, ExprType>>,
  options: { optional?: readonly string[]; open?: boolean } = {},
): ExprType {
  const optional = new Set(options.optional);
  const entries = Object.entries(props).map(([name, type]) => [name, { type, optional: optional.has(name) }] as const);
  return { kind: 'object', props: Object.fromEntries(entries), open: options.open ?? false };
}

/** The alternatives of a type: the members of a union, else the type itself. */
export function membersOf(type: ExprType): readonly ExprType[] {
  return type.kind === 'union' ? type.of : [type];
}

/** Flattens, merges enums and equal kinds of scalars, and falls to `dyn` when one alternative is not known. */
export function unionOf(types: readonly ExprType[]): ExprType {
  const merged: ExprType[] = [];
  for (const type of types.flatMap(membersOf)) {
    if (type.kind === 'dyn') return DYN;
    const index = merged.findIndex(other => other.kind === type.kind && !isStructured(type));
    const known = merged[index];
    if (known === undefined) merged.push(type);
    else if (known.kind === 'string' && type.kind === 'string') merged[index] = mergeStrings(known, type);
  }
  return merged.length === 0 ? DYN : merged.length === 1 ? merged[0]! : { kind: 'union', of: merged };
}

function isStructured(type: ExprType): boolean {
  return type.kind === 'list' || type.kind === 'map' || type.kind === 'object';
}

function mergeStrings(a: { values?: readonly string[] }, b: { values?: readonly string[] }): ExprType {
  if (a.values === undefined || b.values === undefined) return STRING;
  return { kind: 'string', values: [...new Set([...a.values, ...b.values])] };
}

export function isNumeric(type: ExprType): boolean {
  return type.kind === 'int' || type.kind === 'double';
}

/** One alternative of several is null. */
export function isNullable(type: ExprType): boolean {
  return type.kind === 'union' && type.of.some(member => member.kind === 'null');
}

export function withoutNull(type: ExprType): ExprType {
  return unionOf(membersOf(type).filter(member => member.kind !== 'null'));
}

/** Whether a value of one type can be a value of the other; ints and doubles count as the same. */
export function mayOverlap(a: ExprType, b: ExprType): boolean {
  return membersOf(a).some(left => membersOf(b).some(right => memberOverlaps(left, right)));
}

function memberOverlaps(a: ExprType, b: ExprType): boolean {
  if (a.kind === 'dyn' || b.kind === 'dyn') return true;
  if (isNumeric(a) && isNumeric(b)) return true;
  if (a.kind === 'list' && b.kind === 'list') return mayOverlap(a.items, b.items);
  const isObject = (type: ExprType) => type.kind === 'object' || type.kind === 'map';
  return a.kind === b.kind || (isObject(a) && isObject(b));
}

/** What a field of this name holds; `dyn` where nothing is declared. */
export function fieldTypeOf(type: ExprType, name: string): ExprType {
  switch (type.kind) {
    case 'object':
      return Object.hasOwn(type.props, name) ? type.props[name]!.type : DYN;
    case 'map':
      return type.values;
    case 'union':
      return unionOf(
        type.of
          .filter(member => member.kind === 'object' || member.kind === 'map')
          .map(member => fieldTypeOf(member, name)),
      );
    default:
      return DYN;
  }
}

export function itemTypeOf(type: ExprType): ExprType {
  if (type.kind === 'list') return type.items;
  if (type.kind !== 'union') return DYN;
  return unionOf(type.of.flatMap(member => (member.kind === 'list' ? [member.items] : [])));
}

/** How a type is named in a message. */
export function describeType(type: ExprType): string {
  switch (type.kind) {
    case 'dyn':
      return 'any value';
    case 'list':
      return type.items.kind === 'dyn' ? 'list' : `list of ${describeType(type.items)}`;
    case 'map':
    case 'object':
      return 'object';
    case 'union':
      return type.of.map(describeType).join(' or ');
    default:
      return type.kind;
  }
}

/** Constructors: `ExprType.object({ amount: ExprType.double }, { optional: ['amount'] })`. */
export const ExprType = Object.freeze({
  dyn: DYN,
  null: NULL,
  bool: BOOL,
  int: INT,
  double: DOUBLE,
  string: STRING,
  timestamp: TIMESTAMP,
  duration: DURATION,
  list: listOf,
  map: mapOf,
  object: objectOf,
  union: unionOf,
});
