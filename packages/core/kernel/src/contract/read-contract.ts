import { type Fault, pointerTo } from '../error/fault.ts';
import { errorAt, warningAt } from '../graph/check/fault.ts';
import { isJsonObject, type JsonValue } from '../json/value.ts';
import { checkContract } from './check-contract.ts';
import { complete } from './complete.ts';
import type { ContractDefinition } from './definition.ts';
import { diffContracts } from './diff/diff-contracts.ts';
import { CONTRACT } from './document/contract-shape.ts';
import { Reading } from './document/shape.ts';
import type { ContractDraft } from './draft.ts';
import type { ContractTypes } from './environment.ts';
import { extend } from './extend.ts';

export interface ReadContract {
  /** Present when no fault is an error. What it extends is worked in. */
  readonly definition?: ContractDefinition;
  /** All that is wrong, warnings too, each with the pointer of its place in the document as written. */
  readonly faults: readonly Fault[];
}

export interface ReadContractOptions {
  /** Of the graph that the contract is used in. */
  readonly types?: ContractTypes;
  /** The contract that `extends` names; undefined where there is none. */
  readonly base?: (name: string) => ContractDefinition | undefined;
}

/**
 * Reads a capability contract from a JSON document, in the plain form or with everything that can be added to it, keys
 * in snake_case or camelCase. One that extends another may only narrow it.
 */
export function readContract(document: JsonValue, options: ReadContractOptions = {}): ReadContract {
  const reading = new Reading();
  const read = CONTRACT.read(document, { written: '', target: '' }, reading);
  if (!isJsonObject(read ?? null)) return { faults: reading.faults };
  // The shapes read nothing that is not of the draft's own form, and stand in for what is missing.
  const draft = read as unknown as ContractDraft;
  const { definition, faults: found } = resolve(draft, options);
  const checked = definition === undefined ? found : [...found, ...checkContract(definition, options.types)];
  const faults = [
    ...reading.faults,
    ...checked.map(fault => ({
      ...(definition === undefined ? fault : withOwnOffset(fault, draft, definition)),
      pointer: reading.writtenAt(fault.pointer),
    })),
  ];
  const isSound = definition !== undefined && faults.every(({ severity }) => severity !== 'error');
  return isSound ? { definition, faults } : { faults };
}

function resolve(
  draft: ContractDraft,
  { base }: ReadContractOptions,
): { definition?: ContractDefinition; faults: Fault[] } {
  if (draft.extends === undefined) return { definition: complete(draft), faults: missingParts(draft) };
  const extended = base?.(draft.extends);
  if (extended === undefined) {
    const message = `The contract \`${draft.extends}\`, which this one extends, cannot be used.`;
    const fault = errorAt('/extends', 'UnknownContract', message, 'It must be there, and without faults of its own.');
    return { faults: [fault] };
  }
  const definition = extend(draft, extended);
  return { definition, faults: wideningFaults(extended, definition) };
}

function wideningFaults(base: ContractDefinition, definition: ContractDefinition): Fault[] {
  return diffContracts(base, definition)
    .filter(({ kind }) => kind === 'widens')
    .map(({ pointer, message }) =>
      errorAt(
        pointer,
        'ContractWidens',
        `A contract may only narrow the one it extends. Here ${message.replace(/^[A-Z]/, first => first.toLowerCase())}`,
        'Take it back, or widen the contract that is extended.',
      ),
    );
}

/** Only a contract that extends another one has somewhere to take these from. */
function missingParts({ tools }: ContractDraft): Fault[] {
  if (tools === undefined) {
    return [errorAt('', 'MissingKey', 'A contract needs `allowed_tools`.', '`allowed_tools: []` means none.')];
  }
  return Object.entries(tools)
    .filter(([, tool]) => tool.input === undefined)
    .map(([name]) => {
      const message = `The tool \`${name}\` has no \`input_schema\`, so it takes no arguments.`;
      const hint = 'If that is meant, say so: input_schema: { type: object, additionalProperties: false }.';
      return warningAt(pointerTo('/tools', name), 'NoInputSchema', message, hint);
    });
}

/** The child's part of a conjoined expression stands first, in brackets; a fault in the base's part has no offset here. */
function withOwnOffset(fault: Fault, draft: ContractDraft, definition: ContractDefinition): Fault {
  if (fault.offset === undefined) return fault;
  const own = textAt(draft, fault.pointer);
  if (own === textAt(definition, fault.pointer)) return fault;
  const { offset, ...rest } = fault;
  return own !== undefined && offset - 1 <= own.length ? { ...rest, offset: Math.max(0, offset - 1) } : rest;
}

function textAt(whole: ContractDraft | ContractDefinition, pointer: string): string | undefined {
  let found: unknown = whole;
  for (const token of pointer.split('/').slice(1)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Readonly<Record<string, unknown>>)[key];
  }
  return typeof found === 'string' ? found : undefined;
}
