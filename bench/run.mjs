/**
 * `npm run bench [-- W1 W2 …] [--reps N]`: measures and prints a table. All workloads together are kept, too: in
 * `results/<date>-<node>-<cores>.json` and `results/latest.md`.
 * Cells run one at a time; repetitions take turns, so that a slow minute of the machine meets everybody.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { summarize, toMarkdown } from './report.mjs';
import { WORKLOADS } from './workloads.mjs';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const { values, positionals } = parseArgs({ options: { reps: { type: 'string' } }, allowPositionals: true });
const chosen = positionals.length === 0 ? Object.keys(WORKLOADS) : positionals;
const unknown = chosen.filter(name => WORKLOADS[name] === undefined);
if (unknown.length > 0) {
  console.error(`There is no workload ${unknown.join(', ')}; there are ${Object.keys(WORKLOADS).join(', ')}.`);
  process.exit(2);
}

build();
if (chosen.some(name => usesPeer(WORKLOADS[name]))) installPeers();
const loadBefore = os.loadavg()[0];
const measured = {};
for (const name of chosen) {
  measured[name] = measure(name, WORKLOADS[name]);
  // One that is broken off keeps the workloads that it has measured whole.
  if (positionals.length === 0) keep(reportOf(measured));
}
console.log(reportOf(measured).markdown);

/** The cells run what is built: sources under a loader are several times slower. */
function build() {
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: join(HERE, '..'), stdio: 'inherit' });
}

function usesPeer({ cells }) {
  return Object.values(cells).some(cell => cell.file.startsWith('../peers/'));
}

function installPeers() {
  const peers = join(HERE, 'peers');
  if (existsSync(join(peers, 'node_modules/better-sqlite3/build/Release/better_sqlite3.node'))) return;
  console.error('Installing what is measured beside (better-sqlite3 may be compiled, some minutes) …');
  execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--workspaces=false'], { cwd: peers, stdio: 'inherit' });
}

function measure(name, workload) {
  const folder = mkdtempSync(join(process.env.BENCH_DIR ?? os.tmpdir(), 'signalbox-bench-'));
  try {
    const prepared = {};
    for (const [key, cell] of Object.entries(workload.prepare ?? {}))
      prepared[key] = run(`${name} ${key}`, cell, folder, prepared);
    const repetitions = [];
    for (let repetition = 1; repetition <= Number(values.reps ?? workload.repetitions); repetition += 1) {
      const results = { ...prepared };
      for (const [key, cell] of inTurn(Object.entries(workload.cells), repetition))
        results[key] = run(`${name} ${key}, ${repetition}`, cell, folder, prepared);
      repetitions.push(results);
    }
    return repetitions;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Forth and back, so that nobody always follows the same neighbour. */
function inTurn(cells, repetition) {
  return repetition % 2 === 1 ? cells : cells.toReversed();
}

/** `of` gives a cell what a prepared one told; `file` names a file that cells share. */
function run(label, { file, name, options }, folder, prepared) {
  const { of, file: shared, ...own } = options;
  const given = {
    ...(of === undefined ? {} : prepared[of]),
    ...own,
    ...(shared === undefined ? {} : { path: join(folder, shared) }),
  };
  const child = spawnSync(
    process.execPath,
    ['--expose-gc', join(HERE, 'cells/run.mjs'), file, name, JSON.stringify(given)],
    {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, BENCH_DIR: folder, NODE_OPTIONS: '' },
    },
  );
  if (child.status !== 0) throw new Error(`${label} ended with ${child.status ?? child.signal}.`);
  const line = child.stdout.trim().split('\n').at(-1);
  console.error(`${label}: ${line}`);
  return JSON.parse(line);
}

function reportOf(results) {
  const about = {
    date: new Date().toISOString().slice(0, 16).replace('T', ' '),
    node: process.versions.node,
    cores: os.cpus().length,
    cpu: os.cpus()[0]?.model ?? 'unknown',
    driver:
      process.versions.sqlite === undefined
        ? '@photostructure/sqlite'
        : `node:sqlite ${process.versions.sqlite} or @photostructure/sqlite`,
    load: `${loadBefore.toFixed(1)}, ${os.loadavg()[0].toFixed(1)}`,
    commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: HERE, encoding: 'utf8' }).trim(),
    repetitions: values.reps ?? 'five',
  };
  const rows = summarize(results);
  return { about, rows, markdown: toMarkdown(rows, about), measured: results };
}

function keep({ markdown, ...report }) {
  const { date, node, cores } = report.about;
  mkdirSync(join(HERE, 'results'), { recursive: true });
  const file = `${date.slice(0, 10)}-node${node.split('.')[0]}-${cores}.json`;
  writeFileSync(join(HERE, 'results', file), `${JSON.stringify(report, undefined, 1)}\n`);
  writeFileSync(join(HERE, 'results/latest.md'), markdown);
}
