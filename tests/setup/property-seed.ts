import fc from 'fast-check';

/**
 * Property tests draw the same cases in each run of the suite, so that a red build speaks of the commit alone.
 * `npm run fuzz` draws new ones; what fails prints its seed, and `SIGNALBOX_FUZZ_SEED=<seed>` draws those again.
 */
const asked = process.env['SIGNALBOX_FUZZ_SEED'];

if (asked === undefined) fc.configureGlobal({ seed: 20_261_130 });
else if (asked !== 'random') fc.configureGlobal({ seed: Number(asked) });
