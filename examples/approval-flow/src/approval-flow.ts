import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { declarationsOf, type Graph, graphFromDefinition, loadGraph, type NodeType, SignalboxError } from 'signalbox';

export interface Purchase {
  readonly requester: string;
  readonly supplier: string;
  readonly item: string;
  readonly amount: number;
  readonly currency: 'EUR' | 'CNY';
  readonly lang?: 'en' | 'zh';
}

/** `approval-flow.yaml` with its code, for programs; the command line reads it by itself. @throws SignalboxError `InvalidGraph` */
export function loadApprovalFlow(types: readonly NodeType[]): Graph<Purchase, { readonly text: string }> {
  const file = fileURLToPath(new URL('../approval-flow.yaml', import.meta.url));
  const { definition, faults } = loadGraph(readFileSync(file, 'utf8'), { file, types: declarationsOf(types) });
  if (definition === undefined) {
    const told = faults.map(({ line, column, code, message }) => `${file}:${line}:${column} ${code} ${message}`);
    throw new SignalboxError('InvalidGraph', told.join('\n'));
  }
  return graphFromDefinition(definition, types) as Graph<Purchase, { readonly text: string }>;
}
