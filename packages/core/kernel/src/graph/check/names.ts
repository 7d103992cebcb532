import type { Fault } from '../../error/fault.ts';
import { END } from '../definition.ts';
import { errorAt } from './fault.ts';

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;
const GRAPH_NAME = /^[A-Za-z_][A-Za-z0-9_.-]*$/;
const HANDLER = /^[^\s@]+(@[1-9]\d*)?$/;

/** CEL's own words: no expression could name what bears them. */
const RESERVED: ReadonlySet<string> = new Set([
  ...['true', 'false', 'null', 'in', 'as', 'break', 'const', 'continue', 'else', 'for', 'function', 'if', 'import'],
  ...['let', 'loop', 'package', 'namespace', 'return', 'var', 'void', 'while'],
]);

export function checkNodeName(name: string, pointer: string): Fault[] {
  if (name !== END) return checkIdentifier(name, pointer);
  const message = '`end` is no node: as a target it stands for the end of the token.';
  return [errorAt(pointer, 'ReservedName', message, 'Give the node another name.')];
}

export function checkIdentifier(name: string, pointer: string): Fault[] {
  if (RESERVED.has(name)) {
    return [
      errorAt(pointer, 'ReservedName', `\`${name}\` is a word of the expression language.`, 'Choose another name.'),
    ];
  }
  return IDENTIFIER.test(name) ? [] : [invalid(name, pointer, 'Letters, digits and `_` only, no digit first.')];
}

export function checkGraphName(name: string, pointer: string): Fault[] {
  return GRAPH_NAME.test(name)
    ? []
    : [invalid(name, pointer, 'Letters, digits, `_`, `.` and `-` only, a letter first.')];
}

export function checkHandlerKey(key: string, pointer: string): Fault[] {
  return HANDLER.test(key) ? [] : [invalid(key, pointer, 'Write `type` or `type@rev`, the revision a number from 1.')];
}

function invalid(name: string, pointer: string, hint: string): Fault {
  return errorAt(pointer, 'InvalidName', `${JSON.stringify(name)} cannot be a name here.`, hint);
}
