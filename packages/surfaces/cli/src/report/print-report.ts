import { type Field, isJsonObject } from '@signalbox/kernel';
import { type RequestView, type RunView, shown } from '@signalbox/runtime';
import type { Cli } from '../cli.ts';
import { exitCodeOfStatus } from '../exit-code.ts';
import { type Output, type Part, type Style, styled } from '../output/output.ts';
import { jsonText } from '../output/printable.ts';
import { type RunReport, runDocument } from './load-report.ts';

const COLOURS: Readonly<Record<RunView['status'], Style>> = {
  completed: 'green',
  failed: 'red',
  cancelled: 'red',
  running: 'yellow',
  cancelling: 'yellow',
  compensating: 'yellow',
  suspended: 'yellow',
  paused: 'yellow',
};

/** Prints how a run stands and gives the exit code that says it. */
export function printReport(cli: Cli, report: RunReport): number {
  if (cli.json) cli.out.json(runDocument(report));
  else printForPeople(cli.out, report);
  return exitCodeOfStatus(report.view.status);
}

function printForPeople(out: Output, { trail, view }: RunReport): void {
  out.line(styled(COLOURS[view.status], trail));
  const { runId, graph, version, session, key, label } = view;
  const labelled = label === undefined ? '' : ` (${label})`;
  out.line(styled('bold', runId), `  ${graph}@${version.slice(0, 12)}${labelled}`, ...named({ session, key }));
  if (view.status === 'completed') printOutput(out, view.output);
  if ('error' in view && view.error !== undefined) out.line(styled('red', view.error.code), `: ${view.error.message}`);
  if (view.status === 'paused') out.line(styled('cyan', `signalbox resume ${runId}`));
  if (view.status === 'suspended' && view.reason !== 'waiting') printReason(out, view);
  for (const request of view.requests) printRequest(out, request);
}

function printReason(out: Output, { reason, details = {} }: Extract<RunView, { status: 'suspended' }>): void {
  out.line(styled('yellow', reason), ` ${shown(details, 200)}`);
  if (reason === 'handlerMissing')
    out.line('  ', styled('cyan', 'Name the file that holds the code with --graph FILE, or in signalbox.config.ts.'));
}

function named(members: Readonly<Record<string, string | undefined>>): Part[] {
  return Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [`  ${name} ${value}`]));
}

function printOutput(out: Output, output: unknown): void {
  const line = jsonText(output);
  if (line.length <= 100) out.line(styled('dim', 'output '), line);
  else {
    out.line(styled('dim', 'output'));
    out.block(jsonText(output, 2), '  ');
  }
}

/** @param how also tells how it is answered from a command line. */
export function printRequest(out: Output, request: RequestView, how = true): void {
  const { id, title, assignees, deadline, message, purpose, fields, kind } = request;
  out.line();
  out.line(styled('bold', `? ${title}`), ...named({ of: assignees.join(', ') || undefined, until: deadline }));
  if (message !== undefined) out.block(message, '  ');
  if (purpose !== undefined) out.line('  ', styled('dim', purpose));
  if (request.proposal !== undefined) out.line('  ', styled('dim', 'proposed '), shown(request.proposal));
  if (!how) return;
  for (const field of fields) out.line('  ', ...fieldLine(field));
  const values = fields.length === 0 ? '' : ` --values '${shown(sampleOf(request), 200)}'`;
  const action = kind === 'confirmation' ? ' --action approve' : '';
  out.line('  ', styled('cyan', `signalbox answer ${id}${action}${values}`));
}

function fieldLine(field: Field): Part[] {
  const options =
    'options' in field && field.options !== undefined
      ? `: ${field.options.map(option => String(option.value)).join(', ')}`
      : '';
  const needed = field.required ? ' required' : '';
  return [field.name, styled('dim', `  ${field.type}${options}${needed}`)];
}

/** What is proposed, else something to fill in: what is required, each with its default or first option. */
function sampleOf({ fields, proposal }: RequestView): object {
  if (isJsonObject(proposal) && isJsonObject(proposal.values)) return proposal.values;
  const wanted = fields.filter(field => field.required);
  return Object.fromEntries(
    (wanted.length > 0 ? wanted : fields.slice(0, 1)).map(field => [field.name, sample(field)]),
  );
}

function sample(field: Field): unknown {
  if (field.default !== undefined) return field.default;
  switch (field.type) {
    case 'number':
    case 'slider':
      return field.min ?? 0;
    case 'boolean':
      return true;
    case 'select':
    case 'radio':
      return field.options[0]?.value ?? '';
    case 'multiselect':
      return field.options.slice(0, 1).map(option => option.value);
    case 'checkbox':
      return field.options === undefined ? true : field.options.slice(0, 1).map(option => option.value);
    default:
      return '…';
  }
}
