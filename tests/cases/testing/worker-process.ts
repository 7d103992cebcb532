/**
 * A process of its own on a store: `worker-process.ts PATH WITNESS MODE …`. It prints a line of JSON for everything that
 * was acknowledged to it.
 */
import { createInterface } from 'node:readline';
import { createSignalbox } from 'signalbox';
import { shop } from './shop.ts';

const [, , path = '', witness = '', mode = '', ...args] = process.argv;
const tell = (message: object) => process.stdout.write(`${JSON.stringify(message)}\n`);

/** Whoever is to be killed counts as dead soon after. */
const SHORT_LEASE_MS = 1_000;

function open(options: { killAt?: string; slow?: number } = {}) {
  const graphs = shop({ witness, ...options });
  const all = Object.values(graphs) as never[];
  return {
    graphs,
    box: createSignalbox({ path, graphs: all, ...(options.killAt === undefined ? {} : { lease: SHORT_LEASE_MS }) }),
  };
}

/** Answers as it is told on standard input, all at once. */
async function answer(): Promise<void> {
  const { box } = open();
  await box.ready();
  tell({ ready: true });
  for await (const line of createInterface({ input: process.stdin })) {
    const { request, key, approve } = JSON.parse(line) as { request: string; key: string; approve: boolean };
    void box.answer(request, { values: { approve }, key, as: 'user:finn' }).then(
      () => tell({ key, accepted: approve }),
      error => tell({ key, code: error.code ?? String(error) }),
    );
  }
  await box.close();
}

/** Starts many short runs at once and sees them through. */
async function startMany(name: string, count: number): Promise<void> {
  const { box, graphs } = open();
  for (let done = 0; done < count; done += 20) {
    const runs = await Promise.all(
      Array.from({ length: Math.min(20, count - done) }, (_, index) =>
        box.start(graphs.short, { n: done + index }, { key: `${name}-${done + index}` }),
      ),
    );
    for (const run of runs) tell({ run: run.id, status: (await run.settled()).status });
  }
  await box.close();
}

/** Starts one run and dies where it is told to, or is killed. */
async function startOne(graph: 'ledger' | 'texts' | 'charges' | 'x', killAt: string, slow: number): Promise<void> {
  const { box, graphs } = open({ killAt, slow });
  const key = graph === 'x' ? { key: 'order-88' } : {};
  const run = await box.start(graphs[graph] as typeof graphs.x, { n: 1 }, key);
  tell({ run: run.id });
  tell({ status: (await run.settled()).status });
  await box.close();
}

switch (mode) {
  case 'answer':
    await answer();
    break;
  case 'many':
    await startMany(args[0]!, Number(args[1]));
    break;
  default:
    await startOne(mode as 'ledger', args[0] ?? '', Number(args[1] ?? 0));
}
