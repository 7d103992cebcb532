/** `npm run crash -- --cycles 10000 [--seed 1] [--durability strict|relaxed]`: kills processes at random moments and judges. */
import { parseArgs } from 'node:util';
import { crash } from '../tests/crash/crash-harness.ts';

const { values } = parseArgs({
  options: {
    cycles: { type: 'string', default: '1000' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    durability: { type: 'string' },
  },
});
const modes = values.durability === undefined ? (['strict', 'relaxed'] as const) : [values.durability as 'strict'];
let kept = true;
for (const durability of modes) {
  const options = { durability, cycles: Number(values.cycles), seed: Number(values.seed) };
  const { runs, acknowledged, broken } = await crash(options);
  kept &&= broken.length === 0;
  console.log(
    `${durability}, seed ${options.seed}: ${options.cycles} deaths, ${runs} runs, ${acknowledged} acknowledgements, ` +
      `${broken.length} broken promises`,
  );
  for (const line of broken) console.log(`  ${line}`);
}
process.exitCode = kept ? 0 : 1;
