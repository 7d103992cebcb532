/** Adds the histories of this version. What is there already is never written again: see README.md. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkRunFile, exportRun } from '@signalbox/runtime';
import { foldedState } from './folded-state.ts';
import { SCRIPTS } from './scripts.ts';

const VERSION = '0.1.0';
const FOLDER = fileURLToPath(new URL(`./${VERSION}/`, import.meta.url));

mkdirSync(FOLDER, { recursive: true });
for (const [name, script] of Object.entries(SCRIPTS)) {
  const [history, state] = [join(FOLDER, `${name}.jsonl`), join(FOLDER, `${name}.state.json`)];
  if (existsSync(history) || existsSync(state)) {
    console.log(`${name} is there already`);
    continue;
  }
  const { box, runId } = await script();
  const lines: string[] = [];
  for await (const line of exportRun(box.store, runId, { madeAt: new Date(box.clock.now()).toISOString() }))
    lines.push(line);
  const { run } = await checkRunFile(() => lines);
  writeFileSync(history, `${lines.join('\n')}\n`);
  writeFileSync(state, `${foldedState(run)}\n`);
  console.log(`${name}: ${run.status}, ${run.seq} events`);
  await box.close();
}
