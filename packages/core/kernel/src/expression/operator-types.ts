import {
  BOOL,
  DOUBLE,
  DURATION,
  DYN,
  type ExprType,
  INT,
  isNumeric,
  listOf,
  mayOverlap,
  membersOf,
  STRING,
  TIMESTAMP,
  unionOf,
} from './expr-type.ts';

/** The type of `left operator right`, or `undefined` when no values of these types can be so joined. */
export function binaryType(operator: string, left: ExprType, right: ExprType): ExprType | undefined {
  const results = membersOf(left).flatMap(a => membersOf(right).map(b => memberResult(operator, a, b)));
  const possible = results.filter(result => result !== undefined);
  return possible.length === 0 ? undefined : unionOf(possible);
}

function memberResult(operator: string, a: ExprType, b: ExprType): ExprType | undefined {
  switch (operator) {
    case '_==_':
    case '_!=_':
      return a.kind === 'null' || b.kind === 'null' || mayOverlap(a, b) ? BOOL : undefined;
    case '_<_':
    case '_<=_':
    case '_>_':
    case '_>=_':
      return isOrdered(a, b) ? BOOL : undefined;
    case '_+_':
      return sumOf(a, b);
    case '_-_':
      return differenceOf(a, b);
    case '_*_':
    case '_/_':
    case '_%_':
      return numbersOf(a, b);
    case '@in':
      return isMember(a, b) ? BOOL : undefined;
    default:
      return undefined;
  }
}

function isOrdered(a: ExprType, b: ExprType): boolean {
  const ordered = new Set(['bool', 'string', 'timestamp', 'duration', 'dyn', 'int', 'double']);
  return ordered.has(a.kind) && ordered.has(b.kind) && mayOverlap(a, b);
}

function isMember(item: ExprType, container: ExprType): boolean {
  if (container.kind === 'dyn') return true;
  if (container.kind === 'list') return mayOverlap(item, container.items) || item.kind === 'null';
  const isObject = container.kind === 'map' || container.kind === 'object';
  return isObject && mayOverlap(item, STRING);
}

function numbersOf(a: ExprType, b: ExprType): ExprType | undefined {
  if (a.kind === 'dyn' || b.kind === 'dyn') return a.kind === b.kind || isNumeric(a) || isNumeric(b) ? DYN : undefined;
  if (!isNumeric(a) || !isNumeric(b)) return undefined;
  return a.kind === 'int' && b.kind === 'int' ? INT : DOUBLE;
}

function sumOf(a: ExprType, b: ExprType): ExprType | undefined {
  const numbers = numbersOf(a, b);
  if (numbers !== undefined) return numbers;
  const addable = new Set(['string', 'list', 'timestamp', 'duration']);
  if (a.kind === 'dyn') return addable.has(b.kind) ? DYN : undefined;
  if (b.kind === 'dyn') return addable.has(a.kind) ? DYN : undefined;
  if (a.kind === 'string' && b.kind === 'string') return STRING;
  if (a.kind === 'list' && b.kind === 'list') return listOf(unionOf([a.items, b.items]));
  if (a.kind === 'duration' && b.kind === 'duration') return DURATION;
  const isShift =
    (a.kind === 'timestamp' && b.kind === 'duration') || (a.kind === 'duration' && b.kind === 'timestamp');
  return isShift ? TIMESTAMP : undefined;
}

function differenceOf(a: ExprType, b: ExprType): ExprType | undefined {
  const numbers = numbersOf(a, b);
  if (numbers !== undefined) return numbers;
  const isTime = (type: ExprType) => type.kind === 'timestamp' || type.kind === 'duration' || type.kind === 'dyn';
  if (!isTime(a) || !isTime(b)) return undefined;
  if (a.kind === 'dyn' || b.kind === 'dyn') return DYN;
  if (b.kind === 'duration') return a;
  return a.kind === 'timestamp' ? DURATION : undefined;
}

/** What may be done instead, where a mix of types is a common slip. */
export function operatorHint(operator: string, left: ExprType, right: ExprType): string | undefined {
  const kinds = new Set([left, right].flatMap(membersOf).map(type => type.kind));
  if (kinds.has('string') && (kinds.has('timestamp') || kinds.has('duration')))
    return 'Text becomes a time with timestamp(…), a span with duration(…)';
  if (kinds.has('string') && (kinds.has('int') || kinds.has('double')))
    return operator === '_+_'
      ? 'Make text of the number with string(…)'
      : 'Make a number of the text with int(…) or double(…)';
  return undefined;
}
