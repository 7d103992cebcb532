/** A process that answers come to: `desk-process.ts PATH WITNESS`. */
import { appendFileSync } from 'node:fs';
import { createSqliteStore } from 'signalbox';
import { serveCalls } from '../../testing/remote.ts';
import { AnsweringDesk } from './answering-desk.ts';

const [, , path = '', witness = ''] = process.argv;
const desk = new AnsweringDesk(createSqliteStore({ path }), runId => appendFileSync(witness, `${runId}\n`));
await desk.ready();
serveCalls(desk);
