/**
 * The same workloads on LangGraph.js with its SqliteSaver, every step persisted before the next (`durability: 'sync'`).
 * `strict` sets `synchronous = FULL` on the database it is given; as shipped it is NORMAL.
 */
import { join } from 'node:path';
import { Annotation, Command, END, interrupt, START, StateGraph } from '@langchain/langgraph';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import Database from 'better-sqlite3';
import { BIG, item } from '../lib/data.mjs';
import { expect, median, now, scratch, timed, warmUp } from '../lib/measure.mjs';

function openSaver(durability) {
  const db = new Database(join(scratch(), 'langgraph.db'));
  db.pragma('journal_mode = WAL');
  db.pragma(`synchronous = ${durability === 'strict' ? 'FULL' : 'NORMAL'}`);
  return new SqliteSaver(db);
}

const state = () =>
  Annotation.Root({
    big: Annotation(),
    n: Annotation(),
    items: Annotation({ reducer: (list, added) => list.concat(added), default: () => [] }),
    answer: Annotation(),
    limit: Annotation(),
  });

const thread = (id, more = {}) => ({ configurable: { thread_id: id }, durability: 'sync', ...more });
const counted = ({ n }) => ({ n: n + 1, items: [item(n)] });

function counterGraph(saver) {
  return new StateGraph(state())
    .addNode('count', counted)
    .addEdge(START, 'count')
    .addConditionalEdges('count', ({ n, limit }) => (n < limit ? 'count' : END))
    .compile({ checkpointer: saver });
}

async function runCounter(graph, id, limit) {
  const end = await graph.invoke({ big: BIG, n: 0, limit }, thread(id, { recursionLimit: limit + 10 }));
  expect(end.n === limit && end.items.length === limit, `n is ${end.n}`);
}

export async function steps({ durability, n }) {
  const graph = counterGraph(openSaver(durability));
  await warmUp(round => runCounter(graph, `warm${round}`, 200));
  const ms = await timed(() => runCounter(graph, 'run', n));
  return { perSecond: (n / ms) * 1000 };
}

export async function concurrent({ durability, runs, steps: limit }) {
  const graph = counterGraph(openSaver(durability));
  await warmUp(round =>
    Promise.all(Array.from({ length: 100 }, (_, index) => runCounter(graph, `warm${round}.${index}`, limit))),
  );
  const ms = await timed(() =>
    Promise.all(Array.from({ length: runs }, (_, index) => runCounter(graph, `${index}`, limit))),
  );
  return { perSecond: ((runs * limit) / ms) * 1000 };
}

function questionGraph(saver) {
  return new StateGraph(state())
    .addNode('a', counted)
    .addNode('b', counted)
    .addNode('c', counted)
    .addNode('approval', () => ({ answer: interrupt({ title: 'Approve?' }) }))
    .addNode('d', counted)
    .addNode('e', counted)
    .addEdge(START, 'a')
    .addEdge('a', 'b')
    .addEdge('b', 'c')
    .addEdge('c', 'approval')
    .addEdge('approval', 'd')
    .addEdge('d', 'e')
    .addEdge('e', END)
    .compile({ checkpointer: saver });
}

export async function suspendAndResume({ durability, n }) {
  const graph = questionGraph(openSaver(durability));
  const resumes = [];
  const one = async id => {
    const stopped = await graph.invoke({ big: BIG, n: 0 }, thread(id));
    expect(stopped.__interrupt__ !== undefined, 'it did not stop');
    const from = now();
    const end = await graph.invoke(new Command({ resume: 'approve' }), thread(id));
    expect(end.n === 5 && end.answer === 'approve', `n is ${end.n}`);
    resumes.push(now() - from);
  };
  await warmUp(index => one(`warm${index}`));
  resumes.length = 0;
  const ms = await timed(async () => {
    for (let index = 0; index < n; index += 1) await one(`${index}`);
  });
  return { perSecond: (n / ms) * 1000, resumeP50: median(resumes) };
}
