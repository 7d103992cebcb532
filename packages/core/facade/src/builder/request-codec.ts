import { SignalboxError } from '@signalbox/kernel';
import type { RequestCodec } from '@signalbox/runtime';
import { toRequestDefinition } from './request-definition.ts';

/**
 * Makes definitions of the requests that handlers give to `ctx.ask`.
 * @throws SignalboxError `InvalidRequest`
 */
export const requestCodec: RequestCodec = {
  toDefinition(request) {
    const { definition, faults } = toRequestDefinition(request as Parameters<typeof toRequestDefinition>[0]);
    const fault = faults.find(candidate => candidate.severity === 'error');
    if (fault === undefined) return definition;
    throw new SignalboxError('InvalidRequest', `The request is not valid at ${fault.pointer}: ${fault.message}`, {
      details: { code: fault.code, pointer: fault.pointer },
    });
  },
};
