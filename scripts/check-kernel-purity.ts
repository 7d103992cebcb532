// Refuses kernel sources that read a clock, draw a random number, wait, or depend on the machine they run on.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findImpurities } from './kernel-purity.ts';
import { isTestFile } from './test-file.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const KERNEL = join(ROOT, 'packages/core/kernel/src');

const files = readdirSync(KERNEL, { recursive: true, encoding: 'utf8' })
  .map(name => join(KERNEL, name))
  .filter(file => file.endsWith('.ts') && !isTestFile(file));

let count = 0;
for (const file of files) {
  for (const { line, what, why } of findImpurities(readFileSync(file, 'utf8'), file)) {
    console.error(`${relative(ROOT, file)}:${line}  ${what}  (${why})`);
    count++;
  }
}
if (count > 0) {
  console.error(`\nThe kernel is pure: time, ids and randomness reach it as data. ${count} to mend.`);
  process.exitCode = 1;
} else {
  console.log(`Kernel purity: ${files.length} sources, nothing impure.`);
}
