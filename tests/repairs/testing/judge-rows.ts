import { readFileSync } from 'node:fs';
import {
  type CompiledContract,
  compileContract,
  type JsonObject,
  type JsonValue,
  type Judgement,
  jsonEqual,
  judgeCall,
  type RefusalCode,
  readContract,
} from '@signalbox/kernel';
import { parse } from 'yaml';

/** What a model sent, and what is to become of it: exactly one of `gives`, `refused` and `kept`. */
export interface Row {
  readonly kind: string;
  readonly tool: string;
  readonly sent: string;
  /** Read by rules alone as exactly this, defaults included. */
  readonly gives?: JsonObject;
  /** Told to the model with this code. */
  readonly refused?: RefusalCode;
  /** Right as it is: the tool gets what was sent, and no rule fires. */
  readonly kept?: true;
}

/** `wrong`: the tool would get something that the row does not say, or is kept from what it says. */
export type Outcome = 'repaired' | 'toModel' | 'kept' | 'wrong';

export interface JudgedRow {
  readonly row: Row;
  readonly outcome: Outcome;
  readonly judgement: Judgement;
  /** Milliseconds that the gate took. */
  readonly ms: number;
}

interface Group {
  readonly kind: string;
  readonly rows: readonly (Omit<Row, 'kind' | 'tool'> & { readonly tool?: string })[];
}

const ZONE = 'Europe/Berlin';
const FACTS = { state: {}, now: Date.UTC(2026, 1, 2, 9), tools: {} };

function fileOf(name: string): JsonValue {
  return parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8')) as JsonValue;
}

export function readRows(): readonly Row[] {
  const groups = fileOf('arguments.yaml') as unknown as readonly Group[];
  return groups.flatMap(({ kind, rows }) => rows.map(row => ({ kind, tool: 'order_parts', ...row })));
}

/** @throws Error where the contract has faults. */
export function readTools(): CompiledContract {
  const { definition, faults } = readContract(fileOf('contract.yaml'));
  if (definition === undefined) throw new Error(faults.map(({ message }) => message).join('\n'));
  return compileContract(definition);
}

export function judgeRow(contract: CompiledContract, row: Row): JudgedRow {
  const from = performance.now();
  const judgement = judgeCall(contract, { id: 'call_1', tool: row.tool, arguments: row.sent }, FACTS, { zone: ZONE });
  const ms = performance.now() - from;
  return { row, judgement, ms, outcome: outcomeOf(row, judgement) };
}

function outcomeOf({ sent, gives, refused, kept }: Row, judgement: Judgement): Outcome {
  if (judgement.verdict === 'refused') return judgement.refusal.code === refused ? 'toModel' : 'wrong';
  const isChanged = judgement.stages.some(({ stage, outcome }) => stage === 'normalize' && outcome === 'changed');
  if (kept === true) return !isChanged && jsonEqual(judgement.args, JSON.parse(sent)) ? 'kept' : 'wrong';
  return gives !== undefined && isChanged && jsonEqual(judgement.args, gives) ? 'repaired' : 'wrong';
}
