import type { Fault } from '../../error/fault.ts';
import { errorAt } from '../../graph/check/fault.ts';
import { DANGEROUS_KEYS } from '../../json/value.ts';

/** What the providers of models take as the name of a tool, and dots, which are common in names of tool servers. */
const TOOL_NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/;
const CONTRACT_NAME = /^[A-Za-z_][A-Za-z0-9_.-]*$/;

export function checkToolName(name: string, pointer: string): Fault[] {
  if (TOOL_NAME.test(name) && !DANGEROUS_KEYS.has(name)) return [];
  return [invalid(name, pointer, 'Letters, digits, `_`, `.` and `-` only, a letter first, 64 characters at most.')];
}

export function checkContractName(name: string, pointer: string): Fault[] {
  if (CONTRACT_NAME.test(name) && !DANGEROUS_KEYS.has(name)) return [];
  return [invalid(name, pointer, 'Letters, digits, `_`, `.` and `-` only, a letter first.')];
}

function invalid(name: string, pointer: string, hint: string): Fault {
  return errorAt(pointer, 'InvalidName', `${JSON.stringify(name)} cannot be a name here.`, hint);
}
