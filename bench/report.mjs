import { median } from './lib/measure.mjs';
import { WORKLOADS } from './workloads.mjs';

/** One line per target, from the results of all repetitions. */
export function summarize(measured) {
  return Object.entries(measured).flatMap(([name, repetitions]) =>
    Object.entries(WORKLOADS[name].rows).map(([what, row]) => {
      const values = repetitions.map(row.of);
      const middle = median(values);
      const shown = repetitions[values.indexOf(middle)];
      return {
        workload: name,
        what,
        target: row.target === undefined ? '' : `${row.sign} ${row.target}`,
        median: middle,
        min: Math.min(...values),
        max: Math.max(...values),
        repetitions: values.length,
        met: row.met === undefined ? undefined : row.met(middle),
        note: row.show === undefined ? '' : row.show(shown),
      };
    }),
  );
}

export function toMarkdown(rows, about) {
  const parts = [
    '# Benchmark',
    '',
    `${about.date}, Node ${about.node}, ${about.cores} × ${about.cpu}, SQLite by ${about.driver}; load before and after: ${about.load}.`,
    `Commit ${about.commit}. Medians of ${about.repetitions}, each measurement in a process of its own, ours and what it is compared with in turns.`,
    '`strict` survives the loss of power, `relaxed` the death of the process. Everybody warms up for the same five seconds, the write-ahead logs are as long as they get before the clock starts, and limits (`maxSteps`, `maxVisits`, `recursionLimit`) are out of the way.',
    'A ratio is taken within one repetition. Nothing here fails a build: time is measured, not asserted.',
  ];
  for (const name of new Set(rows.map(row => row.workload))) {
    parts.push(
      '',
      `## ${name}: ${WORKLOADS[name].title}`,
      '',
      '| | target | measured | min – max | met | |',
      '|---|---|---|---|---|---|',
    );
    for (const row of rows.filter(candidate => candidate.workload === name)) parts.push(toLine(row));
  }
  return `${parts.join('\n')}\n`;
}

function toLine({ what, target, median: middle, min, max, met, note }) {
  const verdict = met === undefined ? '' : met ? 'yes' : '**no**';
  return `| ${what} | ${target} | ${short(middle)} | ${short(min)} – ${short(max)} | ${verdict} | ${note} |`;
}

function short(value) {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en');
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}
