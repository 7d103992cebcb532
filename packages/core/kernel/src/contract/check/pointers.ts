import { type ExprType, fieldTypeOf, itemTypeOf, membersOf } from '../../expression/expr-type.ts';

/** Whether a JSON pointer may lead to something in a value of this type. What a type does not close may hold anything. */
export function leadsSomewhere(pointer: string, type: ExprType): boolean {
  const tokens = pointer
    .split('/')
    .slice(1)
    .map(token => token.replaceAll('~1', '/').replaceAll('~0', '~'));
  let types: readonly ExprType[] = membersOf(type);
  for (const token of tokens) {
    types = types.filter(one => hasMember(one, token)).flatMap(one => membersOf(memberOf(one, token)));
    if (types.length === 0) return false;
  }
  return true;
}

function hasMember(type: ExprType, token: string): boolean {
  switch (type.kind) {
    case 'dyn':
    case 'map':
      return true;
    case 'object':
      return type.open || Object.hasOwn(type.props, token);
    case 'list':
      return /^(?:0|[1-9]\d*)$/.test(token);
    default:
      return false;
  }
}

function memberOf(type: ExprType, token: string): ExprType {
  return type.kind === 'list' ? itemTypeOf(type) : fieldTypeOf(type, token);
}
