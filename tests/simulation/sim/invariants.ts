import { type Commit, decodeRun, encodeRun, globalKey, nextTick, type Program, type Run } from '@signalbox/kernel';
import { requestRow, runRow, sha256 } from '@signalbox/runtime';
import type { MemoryData } from '@signalbox/store-memory';
import type { ClientCommand } from './client.ts';
import { type Fact, factsOf, foldAll, foldOn } from './log.ts';
import { firstDifference, plainText } from './plain.ts';
import type { Random } from './random.ts';

export interface Evidence {
  readonly data: MemoryData;
  readonly program: Program;
  readonly commits: readonly Commit[];
  /** The driver's run as text, by sequence number. */
  readonly live: ReadonlyMap<number, string>;
  /** How often each effect was performed, by idempotency key. */
  readonly performed: ReadonlyMap<string, number>;
  readonly commands: readonly ClientCommand[];
  readonly pick: Random;
}

/** What must be so however a run came about. Gives what is not. */
export function checkRun(evidence: Evidence): string[] {
  const facts = factsOf(evidence.commits);
  const run = foldAll(evidence.commits);
  return [
    ...gapless(evidence.commits),
    ...recordedOnce(facts),
    ...onceOnly(evidence, facts, run),
    ...askedBeforeAgain(facts),
    ...deliveredAsRecorded(facts),
    ...noAnswerLost(evidence.commands, facts),
    ...noSignalLost(evidence.commands, facts),
    ...replayIsLive(evidence),
    ...snapshotIsFold(evidence, run),
    ...rowsAgree(evidence, run),
    ...neverMismatched(facts),
  ];
}

function gapless(commits: readonly Commit[]): string[] {
  let next = 1;
  let at = '';
  for (const commit of commits) {
    if (commit.firstSeq !== next) return [`Commit at ${commit.firstSeq} where ${next} was due.`];
    if (commit.at < at) return [`Time goes back at ${next}: ${at}, then ${commit.at}.`];
    if (commit.events.length === 0) return [`An empty commit at ${next}.`];
    next += commit.events.length;
    at = commit.at;
  }
  return [];
}

const ONCE: ReadonlySet<string> = new Set(['request.opened', 'request.answered', 'request.expired']);
const ONCE_PER_VISIT: ReadonlySet<string> = new Set(['node.started', 'node.succeeded', 'op.recorded']);

/** By key and visit; what was recorded as failed may be done again by a retry. */
function recordedOnce(facts: readonly Fact[]): string[] {
  const seen = new Map<string, number>();
  return facts.flatMap(({ seq, event, generation }) => {
    const { token, node, visit, op, request, error } = event.data as Readonly<Record<string, unknown>>;
    if (!ONCE.has(event.type) && !ONCE_PER_VISIT.has(event.type)) return [];
    const key = ONCE.has(event.type)
      ? `${event.type} ${request}`
      : `${event.type} ${generation}~${token}/${node}#${visit} ${op ?? ''}`;
    const before = seen.get(key);
    if (error === undefined) seen.set(key, seq);
    return before === undefined ? [] : [`${key} stands at ${before} and again at ${seq}.`];
  });
}

/** A `once` effect is performed again only where it was in doubt before. */
function onceOnly({ performed }: Evidence, facts: readonly Fact[], run: Run): string[] {
  const allowed = new Map<string, number>();
  const names = new Map<string, string>();
  for (const { event, generation } of facts) {
    if (event.type !== 'op.intended' && event.type !== 'op.doubted') continue;
    const { token, node, visit, op } = event.data;
    const key = sha256(globalKey({ id: run.id, generation }, { token, node, visit }, op));
    names.set(key, `${token}/${node}#${visit} ${op}`);
    allowed.set(key, (allowed.get(key) ?? 0) + 1);
  }
  return [...allowed].flatMap(([key, most]) => {
    const count = performed.get(key) ?? 0;
    return count > most ? [`${names.get(key)} was performed ${count} times, and was in doubt ${most - 1} times.`] : [];
  });
}

/** What was begun and not recorded is not begun again before the doubt is settled, by a retry's new visit neither. */
function askedBeforeAgain(facts: readonly Fact[]): string[] {
  const open = new Map<string, Set<string>>();
  const found: string[] = [];
  const opsOf = (visit: string) => {
    const ops = open.get(visit) ?? new Set();
    open.set(visit, ops);
    return ops;
  };
  for (const { seq, event, generation } of facts) {
    if (event.type === 'node.started' && event.data.adopt !== undefined) {
      const { token, node, visit, adopt } = event.data;
      const before = open.get(`${generation}~${token}/${node}#${adopt}`);
      open.set(`${generation}~${token}/${node}#${visit}`, new Set(before));
    }
    if (event.type !== 'op.intended' && event.type !== 'op.recorded' && event.type !== 'op.retried') continue;
    const { token, node, visit, op } = event.data;
    const ops = opsOf(`${generation}~${token}/${node}#${visit}`);
    // What is recorded late, of a visit that was left, tells the visits that took it over as well.
    if (event.type === 'op.recorded' && event.data.late === true) {
      for (const [key, others] of open) if (key.startsWith(`${generation}~${token}/${node}#`)) others.delete(op);
    } else if (event.type !== 'op.intended') ops.delete(op);
    else if (event.data.class === 'once') {
      if (ops.has(op)) found.push(`${token}/${node}#${visit} ${op} was begun again at ${seq}, and nobody was asked.`);
      ops.add(op);
    }
  }
  return found;
}

/** What a handler gave out is made of what its journal holds. */
function deliveredAsRecorded(facts: readonly Fact[]): string[] {
  const recorded = new Map<string, unknown>();
  const found: string[] = [];
  for (const { seq, event, generation } of facts) {
    if (event.type === 'op.recorded') {
      const { token, node, visit, op, value } = event.data;
      recorded.set(`${generation}~${token}/${node}#${visit} ${op}`, value);
    }
    // A fallback gives out what another visit gave.
    if (event.type !== 'node.succeeded' || event.data.degraded !== undefined) continue;
    const { token, node, visit, output } = event.data;
    const ops = (output as { ops?: Record<string, unknown> } | null)?.ops ?? {};
    for (const [name, value] of Object.entries(ops)) {
      // Signals may be waited for twice under one name.
      if (name === 'go' || name === 'come') continue;
      const key = `${generation}~${token}/${node}#${visit} ${name}#1`;
      if (typeof value === 'number' && typeof recorded.get(key) === 'number' && recorded.get(key) !== value)
        found.push(`${key} was recorded as ${recorded.get(key)} and delivered as ${value}, by ${seq}.`);
    }
  }
  return found;
}

function noAnswerLost(commands: readonly ClientCommand[], facts: readonly Fact[]): string[] {
  const answers = new Map<string, unknown>();
  for (const { event } of facts) if (event.type === 'request.answered') answers.set(event.data.request, event.data.key);
  return commands.flatMap(({ name, about, outcome }) => {
    if (about?.request === undefined || outcome?.accepted !== true) return [];
    const key = name.split(' ')[1];
    return answers.get(about.request) === key
      ? []
      : [`${name} was accepted, and the log holds ${answers.get(about.request)}.`];
  });
}

function noSignalLost(commands: readonly ClientCommand[], facts: readonly Fact[]): string[] {
  const counts = new Map<string, number>();
  for (const { event } of facts)
    if (event.type === 'signal.received') counts.set(event.data.id ?? '', (counts.get(event.data.id ?? '') ?? 0) + 1);
  return commands.flatMap(({ name, about, outcome }) => {
    if (about?.signal === undefined || outcome?.accepted !== true) return [];
    const count = counts.get(about.signal) ?? 0;
    return count === 1 ? [] : [`${name} was accepted, and the log holds it ${count} times.`];
  });
}

function replayIsLive({ commits, live }: Evidence): string[] {
  return [...live].flatMap(([seq, text]) => {
    const folded = plainText(foldAll(commits, seq));
    return text === folded
      ? []
      : [`The driver's run at ${seq} differs from the fold:\n${firstDifference(text, folded)}`];
  });
}

/** A snapshot at any point, read back, and the rest folded onto it, is the run folded from its start. */
function snapshotIsFold({ commits, pick }: Evidence, run: Run): string[] {
  // Every other seed: these folds are the dearest of all checks.
  if (pick.chance(0.5)) return [];
  const seq = 1 + pick.int(run.seq);
  const prefix = foldAll(commits, seq);
  const { body, lists } = JSON.parse(JSON.stringify(asPlain(encodeRun(prefix)))) as ReturnType<typeof asPlain>;
  const read = decodeRun(body, lists);
  return [
    ...differs(`The run at ${seq}, written and read,`, read, prefix),
    ...differs(`The snapshot at ${seq} with the rest`, foldOn(read, commits), run),
  ];
}

function asPlain({ body, lists }: ReturnType<typeof encodeRun>) {
  return { body, lists: lists.map(list => [...list.toList()]) };
}

function differs(what: string, actual: Run, expected: Run): string[] {
  const one = plainText(actual);
  const other = plainText(expected);
  return one === other ? [] : [`${what} differs from the fold:\n${firstDifference(one, other)}`];
}

function rowsAgree({ data, program }: Evidence, run: Run): string[] {
  const found: string[] = [];
  if (data.runs.size !== 1) found.push(`There are ${data.runs.size} rows of runs.`);
  const row = data.runs.get(run.id);
  const due = nextTick(program, run) ?? null;
  // A row is written when something in it changes, so its time may be older.
  const expected = { ...runRow(run, due), updatedAt: row?.updatedAt };
  if (plainText(row) !== plainText(expected))
    found.push(`The row of the run is ${plainText(row)}, not ${plainText(expected)}.`);
  const requests = [...run.requests.values(), ...run.closedRequests.values()];
  if (requests.length !== data.requests.size) found.push(`${data.requests.size} rows of ${requests.length} requests.`);
  for (const request of requests) {
    const expectedRow = requestRow(program, run, request);
    const actual = data.requests.get(request.id);
    if (plainText({ ...actual, kind: '' }) !== plainText({ ...expectedRow, kind: '' }))
      found.push(`The row of ${request.id} is ${plainText(actual)}, not ${plainText(expectedRow)}.`);
  }
  return found;
}

function neverMismatched(facts: readonly Fact[]): string[] {
  return facts.flatMap(({ seq, event }) =>
    JSON.stringify(event).includes('NonDeterminismError')
      ? [`Code that did not change counts as changed at ${seq}: ${JSON.stringify(event)}`]
      : [],
  );
}
