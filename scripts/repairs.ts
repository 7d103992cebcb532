/** `npm run repairs`: how many malformed arguments rules alone repair, by kind, and how many go back to the model. */
import { type JudgedRow, judgeRow, type Outcome, readRows, readTools } from '../tests/repairs/testing/judge-rows.ts';

const ROUNDS = 50;

const [contract, rows] = [readTools(), readRows()];
const rounds = Array.from({ length: ROUNDS }, () => rows.map(row => judgeRow(contract, row)));
/** Of the last: by then the code is warm. */
const judged = rounds.at(-1)!;

const COLUMNS: readonly Outcome[] = ['repaired', 'toModel', 'kept', 'wrong'];
const count = (of: readonly JudgedRow[], outcome: Outcome) => of.filter(each => each.outcome === outcome).length;
const line = (name: string, of: readonly JudgedRow[]) =>
  `| ${name} | ${of.length} | ${COLUMNS.map(outcome => count(of, outcome)).join(' | ')} |`;

console.log('| | rows | repaired by rules | back to the model | right, left alone | wrong |');
console.log('|---|---|---|---|---|---|');
for (const kind of new Set(rows.map(row => row.kind)))
  console.log(
    line(
      kind,
      judged.filter(({ row }) => row.kind === kind),
    ),
  );
console.log(line('all', judged));

const malformed = judged.filter(({ row }) => row.kept === undefined);
const readable = malformed.filter(({ row }) => row.refused !== 'argumentsUnreadable');
console.log(`
Of what is malformed, rules alone repair ${share(malformed)}; of what of it is JSON, ${share(readable)}.
A repair takes ${medianMs('repaired')} ms (median), a refusal ${medianMs('toModel')} ms.`);

const wrong = judged.filter(({ outcome }) => outcome === 'wrong');
for (const { row } of wrong) console.log(`  wrong: ${row.tool} ${row.sent}`);
process.exitCode = wrong.length === 0 ? 0 : 1;

function share(of: readonly JudgedRow[]): string {
  const repaired = count(of, 'repaired');
  return `${repaired} of ${of.length} (${Math.round((repaired / of.length) * 100)} %)`;
}

function medianMs(outcome: Outcome): string {
  const times = judged.filter(each => each.outcome === outcome).map(({ ms }) => ms);
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)]?.toFixed(2) ?? '–';
}
