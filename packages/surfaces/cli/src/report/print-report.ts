import { type Field, isJsonObject } from '@signalbox/kernel';
import { cut, principalText, type RequestView, type RunView, shown, type WaitView } from '@signalbox/runtime';
import { jsonText } from '@signalbox/terminal-form/text';
import type { Cli } from '../cli.ts';
import { exitCodeOfStatus } from '../exit-code.ts';
import { type Part, type Style, styled } from '../output/output.ts';
import { shellWords } from '../output/shell-words.ts';
import { type RunReport, runDocument } from './load-report.ts';
import { printDisplays } from './print-displays.ts';

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
export async function printReport(cli: Cli, report: RunReport): Promise<number> {
  if (cli.json) cli.out.json(runDocument(report));
  else await printForPeople(cli, report);
  return exitCodeOfStatus(report.view.status);
}

async function printForPeople(cli: Cli, { trail, view, isLeft }: RunReport): Promise<void> {
  const { out } = cli;
  out.line(styled(COLOURS[view.status], trail));
  const { runId, graph, version, session, key, label, fork } = view;
  const labelled = label === undefined ? '' : ` (${label})`;
  out.line(
    styled('bold', runId),
    `  ${graph}@${version.slice(0, 12)}${labelled}`,
    ...named({ session, key, ...forkOf(fork) }),
  );
  if (view.status === 'completed') printOutput(cli, view.output);
  if ('error' in view && view.error !== undefined) out.line(styled('red', view.error.code), `: ${view.error.message}`);
  if (isLeft === true)
    out.line(styled('yellow', 'nobody drives it'), '; go on: ', styled('cyan', cli.next(`resume ${runId}`)));
  if (view.status === 'paused') out.line(styled('cyan', cli.next(`resume ${runId}`)));
  if (view.status === 'suspended' && view.reason !== 'waiting') printReason(cli, view);
  for (const wait of view.waits ?? []) printWait(cli, runId, wait);
  for (const request of view.requests) await printRequest(cli, request);
}

function printReason(cli: Cli, { runId, reason, details = {} }: Extract<RunView, { status: 'suspended' }>): void {
  if (reason !== 'handlerMissing') {
    cli.out.line(styled('yellow', reason), ` ${shown(details, 200)}`);
    return;
  }
  const handlers = Array.isArray(details.handlers) ? details.handlers.map(String) : [];
  const missing = handlers.length === 0 ? 'its code is not here' : `the code of ${handlers.join(', ')} is not here`;
  cli.out.line(styled('yellow', reason), `: ${missing}`);
  const next = `${cli.next(`resume ${runId}`)} --graph FILE`;
  cli.out.line('  ', styled('cyan', `Pass the file that holds it: ${next}; or list it in signalbox.config.ts.`));
}

/** What ends a wait: a signal with the command that sends it, a time, a condition. */
function printWait(cli: Cli, runId: string, { node, token, name, signal, until, when, retry }: WaitView): void {
  const place = `${token === '' ? '' : `${token}/`}${node}${name === undefined ? '' : ` (${name})`}`;
  const overdue = until !== undefined && Date.parse(until) <= Date.now();
  const what = [
    ...(signal === undefined ? [] : [`for signal ${signal}`]),
    ...(until === undefined ? [] : [`${retry === true ? 'to be tried again at' : 'until'} ${until}`]),
    ...(when === undefined ? [] : [`until ${when}`]),
    ...(overdue ? ['(overdue)'] : []),
  ];
  cli.out.line(styled('yellow', `${place} waits`), ` ${what.join(' ')}`);
  if (signal !== undefined) cli.out.line('  ', styled('cyan', cli.next(`signal ${runId} ${shellWords([signal])}`)));
  if (until !== undefined) {
    const resume = cli.next(`resume ${runId}`);
    cli.out.line('  ', styled('cyan', overdue ? resume : `then, where no program drives it: ${resume}`));
  }
}

function forkOf(fork: RunView['fork']): Readonly<Record<string, string | undefined>> {
  return fork === undefined ? {} : { 'fork of': `${fork.parent} at ${fork.at}` };
}

function named(members: Readonly<Record<string, string | undefined>>): Part[] {
  return Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [`  ${name} ${value}`]));
}

function printOutput({ out }: Cli, output: unknown): void {
  const line = jsonText(output);
  if (line.length <= 100) out.line(styled('dim', 'output '), line);
  else {
    out.line(styled('dim', 'output'));
    out.block(jsonText(output, 2), '  ');
  }
}

/** The question, and how it is answered from a command line. */
async function printRequest(cli: Cli, request: RequestView): Promise<void> {
  const { out } = cli;
  const { id, title, assignees, deadline, message, purpose, fields } = request;
  out.line();
  out.line(styled('bold', `? ${title}`), ...named({ of: assignees.join(', ') || undefined, until: deadline }));
  if (message !== undefined) out.block(message, '  ');
  if (purpose !== undefined) out.line('  ', styled('dim', purpose));
  for (const line of contextLines(request)) out.line('  ', ...line);
  await printDisplays(cli, request);
  if (request.proposal !== undefined) out.line('  ', styled('dim', 'proposed '), proposalText(request.proposal));
  for (const line of whoAnswers(request)) out.line('  ', styled('dim', line));
  for (const field of fields) out.line('  ', ...fieldLine(field));
  out.line('  ', styled('cyan', cli.next(`answer ${id}${sampleAnswer(request)}`)));
}

/** What helps to look it up elsewhere; where a question has displays, these are what is to be read. */
function contextLines({ context, displays = [] }: RequestView): Part[][] {
  if (!isJsonObject(context) || displays.length > 0) return [];
  return Object.entries(context).map(([name, value]) => [
    styled('dim', `${name} `),
    typeof value === 'string' ? cut(value, 200) : shown(value, 200),
  ]);
}

function whoAnswers({ quorum, endorsedBy = [], fourEyes, requester, claimedBy }: RequestView): string[] {
  const approvals = [`${endorsedBy.length} of ${quorum} approvals`, ...endorsedBy.map(principalText)];
  return [
    ...(quorum === undefined ? [] : [approvals.join('  ')]),
    ...(fourEyes === undefined ? [] : [`not by who asked for it${requester === undefined ? '' : `  ${requester}`}`]),
    ...(claimedBy === undefined ? [] : [`claimed by ${principalText(claimedBy)}`]),
  ];
}

/** `{"amount":5}, confidence 0.4: as last time`. */
function proposalText(proposal: RequestView['proposal']): string {
  if (!isJsonObject(proposal) || !isJsonObject(proposal.values)) return shown(proposal);
  const { values, confidence, reason } = proposal;
  const sure = typeof confidence === 'number' ? `, confidence ${Math.round(confidence * 1000) / 1000}` : '';
  return `${shown(values)}${sure}${typeof reason === 'string' ? `: ${shown(reason)}` : ''}`;
}

/** What is said to approve it: of what has a subject, exactly what stands to be approved. */
function sampleAnswer(request: RequestView): string {
  const { kind, fields, subject, proposal } = request;
  const stands = subject !== undefined && isJsonObject(proposal) && isJsonObject(proposal.values);
  const values = fields.length === 0 || stands ? '' : ` --values ${shellWords([sampleOf(request)])}`;
  return `${kind === 'confirmation' || subject !== undefined ? ' --action approve' : ''}${values}`;
}

function fieldLine(field: Field): Part[] {
  const options =
    'options' in field && field.options !== undefined
      ? `: ${field.options.map(option => String(option.value)).join(', ')}`
      : '';
  const needed = field.required ? ' required' : '';
  return [field.name, styled('dim', `  ${field.type}${options}${needed}`)];
}

/** What is proposed, else what is required, with something to fill in: sent as it is, it is refused. */
function sampleOf({ fields, proposal }: RequestView): string {
  if (isJsonObject(proposal) && isJsonObject(proposal.values)) return shown(proposal.values, 200);
  const wanted = fields.filter(field => field.required && field.showIf === undefined);
  const members = (wanted.length > 0 ? wanted : fields.slice(0, 1)).map(
    field => `${JSON.stringify(field.name)}: ${placeholder(field)}`,
  );
  return `{${members.join(', ')}}`;
}

/** `"red|blue"`, `true|false`, `"…"`, `…` for a number. */
function placeholder(field: Field): string {
  if (field.default !== undefined) return JSON.stringify(field.default);
  switch (field.type) {
    case 'number':
    case 'slider':
      return '…';
    case 'boolean':
      return 'true|false';
    case 'select':
    case 'radio':
      return choice(field.options);
    case 'multiselect':
      return `[${choice(field.options)}]`;
    case 'checkbox':
      return field.options === undefined ? 'true|false' : `[${choice(field.options)}]`;
    default:
      return '"…"';
  }
}

function choice(options: readonly { readonly value: unknown }[]): string {
  const values = options.map(({ value }) => value);
  const isText = values.length === 0 || values.some(value => typeof value === 'string');
  const text = values.length === 0 ? '…' : values.map(String).join('|');
  return isText ? JSON.stringify(text) : text;
}
