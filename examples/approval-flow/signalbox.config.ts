import { fileURLToPath } from 'node:url';
import { defineConfig } from 'signalbox';
import { openLedger } from './src/ledger.ts';
import { createNodeTypes } from './src/node-types.ts';
import { readPeople } from './src/people.ts';
import { readSuppliers } from './src/suppliers.ts';

const ledger = openLedger(fileURLToPath(new URL('.signalbox/ledger.jsonl', import.meta.url)));

export default defineConfig({
  graphs: ['approval-flow.yaml'],
  types: createNodeTypes({ ledger, suppliers: readSuppliers() }),
  identity: readPeople(),
});
