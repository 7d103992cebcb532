import type { Fault } from '../../error/fault.ts';
import { isPrincipalText } from '../../event/principal.ts';
import type { ErrorData } from '../../event/run-event.ts';
import type { CompiledRequest } from '../../graph/program.ts';
import type { JsonObject, JsonValue } from '../../json/value.ts';
import { checkDisplays } from '../../request/check-displays.ts';
import { checkOptions } from '../../request/check-options.ts';
import type { Field } from '../../request/field.ts';
import { validateValue } from '../../request/validate-value.ts';
import type { Bindings } from './bindings.ts';
import { errorData } from './decider.ts';

export type Filled = { readonly values: JsonObject } | { readonly error: ErrorData };

/** What of a request comes from the state, worked out now and held to the shape that what is written has by itself. */
export function fillRequest(compiled: CompiledRequest, see: Bindings, zone: string): Filled {
  const values: Record<string, JsonValue> = {};
  for (const [name, template] of compiled.templates) {
    if (template.constant !== undefined) continue;
    const filled = template.fill(see);
    if (!filled.ok)
      return { error: unfit('ConditionError', `The request's ${name} cannot be evaluated: ${filled.reason}.`) };
    const fit = fitted(compiled, name, filled.value, zone);
    if ('error' in fit) return fit;
    values[name] = fit.value;
  }
  return { values };
}

type Fit = { readonly value: JsonValue } | { readonly error: ErrorData };

function fitted(compiled: CompiledRequest, name: string, value: JsonValue, zone: string): Fit {
  switch (name) {
    case 'displays':
      return fitDisplays(value);
    case 'requester':
      return fitRequester(value);
    default:
      return fitOptions(compiled, name, value, zone);
  }
}

/** Four eyes cannot exclude whom nobody can make out. */
function fitRequester(value: JsonValue): Fit {
  if (typeof value === 'string' && isPrincipalText(value)) return { value };
  return { error: unfit('InvalidPrincipal', `The requester ${JSON.stringify(value)} names nobody.`) };
}

function fitDisplays(value: JsonValue): Fit {
  const { faults } = checkDisplays(value, '/displays');
  return faults.length === 0 ? { value } : { error: toldOf(faults) };
}

/** Options are stored complete. None at all is right where nothing has to be chosen. */
function fitOptions({ fields }: CompiledRequest, name: string, value: JsonValue, zone: string): Fit {
  const field = fields.find(candidate => name === `options/${candidate.name}`);
  if (field === undefined) return { value };
  if (Array.isArray(value) && value.length === 0 && !field.required && field.default === undefined) return { value };
  const { options, faults } = checkOptions(value, `/options/${field.name}`);
  if (faults.length > 0) return { error: toldOf(faults) };
  const full = { ...field, options } as Field;
  const standing = field.default === undefined ? [] : validateValue(full, field.default as JsonValue, '', zone);
  if (standing.length === 0) return { value: options as unknown as JsonValue };
  const message = `The default of "${field.name}" is none of the options that the state gave.`;
  return { error: unfit('DefaultOutOfBounds', message) };
}

function toldOf(faults: readonly Fault[]): ErrorData {
  const [first] = faults;
  const told = faults.map(fault => `${fault.pointer}: ${fault.message}`).join('; ');
  return unfit(first?.code ?? 'InvalidRequest', `What the state gave makes no question: ${told}`);
}

function unfit(code: string, message: string): ErrorData {
  return errorData(code, message, { permanent: true });
}
