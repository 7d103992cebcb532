/** A process of its own that talks in one session: `talker-process.ts PATH WITNESS SESSION NAME COUNT`. */
import { createSignalbox } from 'signalbox';
import { dialogue } from './dialogue.ts';

const [, , path = '', witness = '', session = '', name = '', count = '0'] = process.argv;
const graph = dialogue(witness);
const box = createSignalbox({ path, graphs: [graph] as never[], lease: 1_000 });
const runs = [];
for (let n = 0; n < Number(count); n += 1) {
  const message = `${name}${n}`;
  const { run } = await box.session(session).send(graph, message, { input: { message, asks: n % 2 === 1 } });
  runs.push(run);
}
for (const run of runs) {
  let view = await run.settled();
  if (view.status === 'suspended') {
    await box.answer(view.requests[0]!.id, { values: { more: true }, as: 'user:finn' });
    view = await run.settled();
  }
  process.stdout.write(`${run.id} ${view.status}\n`);
}
await box.close();
