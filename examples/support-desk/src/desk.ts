import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type IntentClassifier, trainIntentClassifier } from '@signalbox/example-shared';
import {
  createSignalbox,
  declarationsOf,
  type Graph,
  graphFromDefinition,
  loadGraph,
  type Signalbox,
  SignalboxError,
  type SignalboxOptions,
} from 'signalbox';
import { createFaqSearch, readFaq } from './faq-search.ts';
import { createNodeTypes, type DeskServices } from './node-types.ts';
import { openTicketStore } from './ticket-store.ts';
import { INTENTS, type Intent, readDeskUtterances } from './utterance.ts';

export interface CaseInput {
  readonly message: string;
}
export interface CaseOutput {
  readonly reply: string;
}
export type DeskGraph = Graph<CaseInput, CaseOutput>;

export interface Desk {
  readonly box: Signalbox;
  readonly graph: DeskGraph;
  close(): Promise<void>;
}

// After a crash the next process waits this long, in ms, for a sign of life of the last one before it goes on for it.
const LEASE = 1_500;

/** `support-desk.yaml` with its code. @throws SignalboxError `InvalidGraph` with every fault and its place */
export function loadDeskGraph(services: DeskServices): DeskGraph {
  const file = fileURLToPath(new URL('../support-desk.yaml', import.meta.url));
  const types = createNodeTypes(services);
  const { definition, faults } = loadGraph(readFileSync(file, 'utf8'), { file, types: declarationsOf(types) });
  if (definition === undefined) {
    const told = faults.map(({ line, column, code, message }) => `${file}:${line}:${column} ${code} ${message}`);
    throw new SignalboxError('InvalidGraph', told.join('\n'));
  }
  return graphFromDefinition(definition, types) as DeskGraph;
}

/** The classifier, the FAQ and a ticket store in `folder`. The classifier is trained when it is first asked. */
export function openServices(folder: string): DeskServices {
  let classifier: IntentClassifier<Intent> | undefined;
  return {
    classifier: {
      classify: text => {
        classifier ??= trainIntentClassifier(readDeskUtterances(), INTENTS, 'unknown');
        return classifier.classify(text);
      },
    },
    faq: createFaqSearch(readFaq()),
    tickets: openTicketStore(join(folder, 'tickets.db')),
  };
}

/** A desk that keeps its cases and tickets in `folder`, or wherever `options` says. */
export function openDesk(services: DeskServices, options: SignalboxOptions): Desk {
  const graph = loadDeskGraph(services);
  const box = createSignalbox({ lease: LEASE, ...options, graphs: [graph] });
  return {
    box,
    graph,
    async close() {
      await box.close();
      services.tickets.close();
    },
  };
}
