/** A process that takes answers for runs of whose graphs it has no code: `answering-process.mjs PATH`. */
import { sqliteBox } from './box.mjs';

const clock = () => performance.timeOrigin + performance.now();
const box = sqliteBox(process.argv[2], 'strict');
await box.ready();
process.on('message', async requestId => {
  const called = clock();
  await box.answer(requestId, { action: 'approve', as: 'user:finn' });
  process.send({ called, accepted: clock() });
});
process.on('disconnect', () => box.close());
process.send({ ready: true });
