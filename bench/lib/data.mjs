/** The data of the workloads: the same for everybody who is measured. */
const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/';
let seed = 12_345;

/** Text that hardly compresses, the same at every start. */
function text(length) {
  let made = '';
  for (let index = 0; index < length; index += 1) {
    seed = (Math.imul(seed ^ (seed >>> 15), seed | 1) + 0x6d2b79f5) | 0;
    made += LETTERS[(seed >>> 9) & 63];
  }
  return made;
}

/** The part of the state that never changes. */
export const BIG = text(8192);

const POOL = Array.from({ length: 4099 }, () => text(93));

/** 100 bytes, another one for each step of the longest measured run. */
export const item = index => String(index).padStart(7, '0') + POOL[index % POOL.length];
