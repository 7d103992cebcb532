/**
 * `npm run answers -- --count 100000 [--seed 1] [--store memory|sqlite]`: delivers answers again and again, in any order and to two
 * processes, before their question, after its deadline, after a cancel, and judges every run.
 */
import { parseArgs } from 'node:util';
import { inMemory, onSqlite } from '../tests/answers/testing/places.ts';
import { playAnswers } from '../tests/answers/testing/play.ts';

const PLACES = { memory: inMemory, sqlite: onSqlite } as const;

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    store: { type: 'string', default: 'sqlite' },
  },
});
const [count, seed] = [Number(values.count), Number(values.seed)];
if (!Number.isSafeInteger(count) || count < 1 || !Number.isSafeInteger(seed))
  throw new Error('The count and the seed are whole numbers.');
const open = PLACES[values.store as keyof typeof PLACES];
if (open === undefined) throw new Error(`There is no store ${values.store}; there are memory and sqlite.`);

const place = await open();
const begun = performance.now();
const progress = (deliveries: number) => void process.stderr.write(`\r${deliveries} of ${count} deliveries`);
const { scenarios, deliveries, early, told, broken } = await playAnswers(place, { count, seed, progress });
await place.close();
const seconds = Math.round((performance.now() - begun) / 1_000);
console.log(
  `\n${values.store}, seed ${seed}: ${deliveries} deliveries for ${scenarios} questions in ${seconds} s, ` +
    `${early} accepted that came before their question, ${broken.length} broken promises`,
);
for (const [outcome, times] of Object.entries(told).sort()) console.log(`  ${times} ${outcome}`);
for (const line of broken) console.log(`  broken: ${line}`);
process.exitCode = broken.length === 0 ? 0 : 1;
