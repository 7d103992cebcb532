import type { Fault } from '../../error/fault.ts';
import type { RequestDefinition } from '../../request/definition.ts';
import { request } from './request-shape.ts';

/**
 * Whether a request that a handler makes up is shaped as it should be. What is in its fields and expressions is found
 * when it is compiled.
 */
export function checkRequestShape(
  value: unknown,
  pointer: string,
): { request: RequestDefinition | undefined; faults: Fault[] } {
  const faults: Fault[] = [];
  return { request: request(value, pointer, faults) as RequestDefinition | undefined, faults };
}
