/**
 * The process that is killed: `crash-process PATH WITNESS DURABILITY MODE`. It waits for a line on standard input, goes on
 * with what earlier processes left, starts runs and answers questions, and prints what was acknowledged to it. In mode
 * `finish` it starts nothing and ends when every run has.
 */
import { writeSync } from 'node:fs';
import { createSignalbox, type Signalbox } from 'signalbox';
import { crashGraph, LEASE_MS, openWitness, type Witness } from './crash-graph.ts';

const [, , path = '', witnessPath = '', durability = 'strict', mode = 'work'] = process.argv;
/** Runs that are not over at any time. */
const OPEN_RUNS = 3;
const OPEN = ['running', 'suspended', 'paused', 'cancelling', 'compensating'];

/** Straight to the pipe: what is printed has reached the other side before anything else is done. */
function tell(line: string): void {
  writeSync(1, `${line}\n`);
}

const rest = (ms: number) => new Promise(resolve => setTimeout(resolve, ms));

/** What a person would do who can look whether the operation happened. */
function outcomeOf(witness: Witness, runId: string, node: string, token: string): 'done' | 'repeat' {
  const index = /\.(\d+)$/.exec(token)?.[1];
  return witness.has(`once ${runId} ${index === undefined ? node : `ship:${index}`}`) ? 'done' : 'repeat';
}

async function answerAll(box: Signalbox, witness: Witness): Promise<void> {
  for (const row of (await box.inbox()).rows) {
    const request = (await box.get(row.runId).view()).requests.find(open => open.id === row.requestId);
    if (request === undefined) continue;
    const answer =
      request.about === 'doubt'
        ? { values: { outcome: outcomeOf(witness, row.runId, request.node, request.token) } }
        : { action: 'approve' };
    await box.answer(row.requestId, answer);
    tell(`answered ${row.runId} ${row.requestId}`);
  }
}

async function work(): Promise<void> {
  const witness = openWitness(witnessPath);
  const graph = crashGraph(witness);
  const box = createSignalbox({
    path,
    durability: durability as 'strict' | 'relaxed',
    graphs: [graph] as never[],
    lease: LEASE_MS,
    crashLimit: Number.MAX_SAFE_INTEGER,
    observer: {
      committed: () => tell('commit'),
      onError: error => tell(`error ${error instanceof Error ? error.message : String(error)}`),
    },
  });
  await box.ready();
  for (let turn = 0; ; turn += 1) {
    const open = (await box.runs({ status: OPEN })).rows.length;
    if (mode === 'finish' && open === 0) break;
    if (mode === 'work' && open < OPEN_RUNS) tell(`started ${(await box.start(graph, { ask: turn % 2 === 0 })).id}`);
    await answerAll(box, witness);
    await rest(2);
  }
  await box.close();
  tell('finished');
}

tell('up');
process.stdin.once('data', () => {
  process.stdin.destroy();
  void work();
});
