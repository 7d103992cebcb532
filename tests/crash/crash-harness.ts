import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyAll } from '@signalbox/runtime';
import { createSignalbox, type Signalbox } from 'signalbox';
import { bundle } from '../testing/bundle.ts';
import { FINAL_STATE, LEASE_MS, marksIn, ONCE, REPEATED } from './crash-graph.ts';

/** Commits of a process before it is killed, at most. */
const MOST_COMMITS = 40;

export interface CrashOptions {
  readonly cycles: number;
  readonly durability: 'strict' | 'relaxed';
  /** Of the moments at which processes are killed. */
  readonly seed: number;
}

export interface CrashReport {
  readonly runs: number;
  readonly acknowledged: number;
  /** Promises that were broken, in words. None is what is expected. */
  readonly broken: readonly string[];
}

interface Place {
  readonly folder: string;
  readonly script: string;
  readonly path: string;
  readonly witness: string;
  readonly victims: Set<ChildProcess>;
}

/** Kills a working process again and again, lets the last one finish, and looks whether every promise was kept. */
export async function crash(options: CrashOptions): Promise<CrashReport> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-crash-'));
  const program = await bundle(new URL('./crash-process.ts', import.meta.url));
  const victims = new Set<ChildProcess>();
  const place = { folder, script: program.path, path: join(folder, 's.db'), witness: join(folder, 'w.txt'), victims };
  try {
    const said = await killAgainAndAgain(place, options);
    said.push(...(await finish(place, options)));
    return await judge(place, said);
  } finally {
    for (const victim of victims) victim.kill('SIGKILL');
    program.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Victim {
  readonly process: ChildProcess;
  /** It has started and waits for its turn. */
  readonly up: Promise<unknown>;
  readonly said: () => string[];
  readonly errors: () => string;
}

function start({ folder, script, path, witness, victims }: Place, durability: string, mode: 'work' | 'finish'): Victim {
  const child = spawn(process.execPath, [script, path, witness, durability, mode], { cwd: folder });
  victims.add(child);
  child.once('close', () => victims.delete(child));
  let [out, errors] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  return {
    process: child,
    up: once(child.stdout, 'data'),
    said: () => out.split('\n').slice(0, -1),
    errors: () => errors,
  };
}

/** The next process starts while the one before is at work, and waits for its turn. */
async function killAgainAndAgain(place: Place, { cycles, durability, seed }: CrashOptions): Promise<string[]> {
  const random = randomFrom(seed);
  const said: string[] = [];
  let next = start(place, durability, 'work');
  for (let cycle = 0; cycle < cycles; cycle += 1) {
    const victim = next;
    await victim.up;
    victim.process.stdin!.write('go\n');
    if (cycle + 1 < cycles) next = start(place, durability, 'work');
    // One in four dies while it opens the store and takes over; the others after some commits, however slow the machine.
    const commits = random() < 0.25 ? 0 : Math.ceil(random() * MOST_COMMITS);
    await hasCommitted(victim, commits);
    await new Promise(resolve => setTimeout(resolve, random() * (commits === 0 ? 200 : 20)));
    const ended = once(victim.process, 'close');
    victim.process.kill('SIGKILL');
    const [code] = await ended;
    // Whoever comes next finds the dead one's lease over and takes its runs.
    await new Promise(resolve => setTimeout(resolve, LEASE_MS));
    said.push(...victim.said());
    if (code !== null) throw new Error(`A process ended by itself (${code}): ${victim.errors()}`);
  }
  return said;
}

async function hasCommitted(victim: Victim, commits: number): Promise<void> {
  const enough = () => victim.said().filter(line => line === 'commit').length >= commits;
  while (!enough() && victim.process.exitCode === null) await once(victim.process.stdout!, 'data');
}

async function finish(place: Place, { durability }: CrashOptions): Promise<string[]> {
  const last = start(place, durability, 'finish');
  await last.up;
  last.process.stdin!.write('go\n');
  await once(last.process, 'close');
  const said = last.said();
  if (said.at(-1) !== 'finished') throw new Error(`The last process did not finish: ${said.at(-1)} ${last.errors()}`);
  return said;
}

async function judge({ path, witness }: Place, said: readonly string[]): Promise<CrashReport> {
  const box = createSignalbox({ path });
  try {
    const marks = marksIn(witness);
    const broken: string[] = said.filter(line => line.startsWith('error '));
    const runs = await runIds(box);
    for (const id of runs) broken.push(...(await judgeRun(box, id, marks)));
    for (const line of said) if (!(await isThere(box, runs, line))) broken.push(`lost: ${line}`);
    for await (const report of verifyAll(box.store))
      if (!report.ok) broken.push(`${report.stream}: ${report.firstBad?.code} at ${report.firstBad?.seq}`);
    const acknowledged = said.filter(line => /^(started|answered) /.test(line)).length;
    return { runs: runs.size, acknowledged, broken };
  } finally {
    await box.close();
  }
}

async function runIds(box: Signalbox): Promise<Set<string>> {
  const ids = new Set<string>();
  let after: string | undefined;
  do {
    const page = await box.runs({ limit: 500, ...(after === undefined ? {} : { after }) });
    for (const row of page.rows) ids.add(row.runId);
    after = page.next;
  } while (after !== undefined);
  return ids;
}

async function judgeRun(box: Signalbox, id: string, marks: readonly string[]): Promise<string[]> {
  const broken: string[] = [];
  const run = box.get(id);
  const view = await run.view();
  if (view.status !== 'completed') broken.push(`${id} is ${view.status}: ${JSON.stringify(view)}`);
  const state = JSON.stringify(await run.state());
  if (state !== JSON.stringify(FINAL_STATE)) broken.push(`${id} holds ${state}`);
  const count = (mark: string) => marks.filter(line => line === mark).length;
  for (const name of ONCE) {
    const times = count(`once ${id} ${name}`);
    if (times !== 1) broken.push(`${id} did ${name} ${times} times`);
  }
  for (const name of REPEATED) if (count(`repeat ${id} ${name}`) === 0) broken.push(`${id} never did ${name}`);
  return broken;
}

/** What was acknowledged is in the log. */
async function isThere(box: Signalbox, runs: ReadonlySet<string>, line: string): Promise<boolean> {
  const [what, runId = '', request] = line.split(' ');
  if (what === 'started') return runs.has(runId);
  if (what !== 'answered') return true;
  for await (const event of box.get(runId).events())
    if (event.type === 'request.answered' && event.data.request === request) return true;
  return false;
}

/** Numbers from 0 to 1, the same for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
