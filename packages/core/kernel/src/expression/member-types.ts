import { DYN, type ExprProperty, type ExprType, isNumeric, mayOverlap, membersOf, NULL, STRING } from './expr-type.ts';

/**
 * What one alternative of a type says of a field. `unknown`: an object without that field. `none`: nothing that has fields.
 */
export function lookUpField(member: ExprType, field: string): ExprProperty | 'unknown' | 'none' {
  switch (member.kind) {
    case 'dyn':
      return { type: DYN, optional: false };
    case 'map':
      return { type: member.values, optional: false };
    case 'object':
      if (Object.hasOwn(member.props, field)) return member.props[field]!;
      return member.open ? { type: DYN, optional: false } : 'unknown';
    default:
      return 'none';
  }
}

/** What stands under an index or a computed key, as a list of alternatives; empty when nothing can. */
export function elementTypes(container: ExprType, index: ExprType): readonly ExprType[] {
  return membersOf(container).flatMap(member => {
    if (member.kind === 'dyn') return [DYN];
    if (member.kind === 'list') return isPosition(index) ? [member.items] : [];
    if (!mayOverlap(index, STRING)) return [];
    if (member.kind === 'map') return [member.values];
    return member.kind === 'object' ? [DYN] : [];
  });
}

function isPosition(index: ExprType): boolean {
  return membersOf(index).some(member => isNumeric(member) || member.kind === 'dyn');
}

/** What a macro goes through: items of a list, keys of an object. Empty when it is neither. */
export function iteratedTypes(range: ExprType): readonly ExprType[] {
  return membersOf(range).flatMap(member => {
    if (member.kind === 'list') return [member.items];
    if (member.kind === 'map' || member.kind === 'object') return [STRING];
    return member.kind === 'dyn' ? [DYN] : [];
  });
}

/** A default that fits a type, for a hint. */
export function exampleOf(type: ExprType): string {
  const member = membersOf(type).find(candidate => candidate.kind !== 'null') ?? NULL;
  const examples: Partial<Record<ExprType['kind'], string>> = {
    bool: 'false',
    string: "''",
    list: '[]',
    map: '{}',
    object: '{}',
    int: '0',
    double: '0',
  };
  return examples[member.kind] ?? 'null';
}
