import type { PlacedFault } from './located-fault.ts';
import { entryOf, type SourceNode } from './source-node.ts';

type Document = 'graph' | 'contract';

const OWN_KEYS: Readonly<Record<Document, readonly string[]>> = {
  graph: ['nodes', 'routes', 'entry', 'edges'],
  contract: ['agent_name', 'agentName', 'allowed_tools', 'allowedTools'],
};

const DOCUMENTS = {
  graph: { name: 'a graph definition', command: 'graph check' },
  contract: { name: 'a capability contract', command: 'contract check' },
} as const;

/**
 * The one fault of a file that is of another kind than it is read as; undefined where that cannot be told. All that the wrong
 * reader would find in it helps nobody.
 */
export function otherDocument(root: SourceNode, wanted: Document): PlacedFault | undefined {
  const other: Document = wanted === 'graph' ? 'contract' : 'graph';
  if (!has(root, other) || has(root, wanted)) return undefined;
  const message = `This is ${DOCUMENTS[other].name}, not ${DOCUMENTS[wanted].name}.`;
  const hint = `Try \`signalbox ${DOCUMENTS[other].command}\`.`;
  return { code: 'WrongDocument', severity: 'error', pointer: '', at: root.at, message, hint };
}

function has(root: SourceNode, document: Document): boolean {
  return root.kind === 'map' && entryOf(root, ...OWN_KEYS[document]) !== undefined;
}
