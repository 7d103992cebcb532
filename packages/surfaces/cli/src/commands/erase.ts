import { SignalboxError } from '@signalbox/kernel';
import type { Command } from 'commander';
import { withBox } from '../box/open-box.ts';
import type { Cli } from '../cli.ts';
import { DONE } from '../exit-code.ts';
import { columns } from '../output/columns.ts';
import { counted } from '../output/counted.ts';
import { styled } from '../output/output.ts';
import { findRun } from '../report/find-run.ts';
import { payloadsNamed, type RunPayload, runPayloads } from '../report/run-payloads.ts';
import type { Act } from './command.ts';

interface EraseOptions {
  readonly yes?: boolean;
  readonly reason?: string;
  readonly as?: string;
}

export function registerErase(program: Command, act: Act): void {
  program
    .command('erase')
    .argument('<run>', 'id of the run')
    .argument('[value]', 'a key of the state, or the digest of a value (its beginning will do); none: list them')
    .description('delete a large value for good; the log stays whole, and says who did it and why')
    .option('--yes', 'really: it cannot be undone')
    .option('--reason <text>', 'why; it goes into the record')
    .option('--as <user>', 'who does it, such as user:finn')
    .action(act(erase));
}

async function erase(cli: Cli, given: string, what: string | undefined, options: EraseOptions): Promise<number> {
  return what === undefined ? await list(cli, given) : await eraseNamed(cli, given, what, options);
}

async function list(cli: Cli, given: string): Promise<number> {
  return await cli.withStore(async store => {
    const runId = await findRun(cli, store, given);
    const payloads = await runPayloads(store, runId, cli.tenant);
    if (cli.json) cli.out.json({ runId, payloads });
    else if (payloads.length === 0) cli.out.line('Nothing of this run can be erased: no value of it is large.');
    else print(cli, payloads);
    return DONE;
  });
}

function print({ out }: Cli, payloads: readonly RunPayload[]): void {
  const cells = payloads.map(({ digest, seq, type, member, key, erased }) => [
    digest.slice(0, 16),
    String(seq),
    type,
    key ?? member,
    erased ? 'erased' : '',
  ]);
  for (const parts of columns(['DIGEST', 'SEQ', 'EVENT', 'VALUE', ''], cells)) out.line(...parts);
}

async function eraseNamed(cli: Cli, given: string, what: string, options: EraseOptions): Promise<number> {
  const { reason, as } = options;
  const act = { as: cli.actor(as), ...(reason === undefined ? {} : { reason }) };
  return await withBox(cli, {}, async ({ box }) => {
    const runId = await findRun(cli, box.store, given);
    const named = payloadsNamed(await runPayloads(box.store, runId, cli.tenant), what);
    const digests = [...new Set(named.flatMap(({ digest, erased }) => (erased ? [] : [digest])))];
    if (digests.length > 0 && options.yes !== true) throw notSure(named, digests);
    for (const digest of digests) await box.get(runId).erase(digest, act);
    if (cli.json) cli.out.json({ runId, erased: digests });
    else if (digests.length === 0) cli.out.line('It is erased already.');
    else cli.out.line(styled('green', '✓'), ` ${counted(digests.length, 'value')} erased.`);
    return DONE;
  });
}

function notSure(named: readonly RunPayload[], digests: readonly string[]): SignalboxError {
  const places = named.map(({ seq, type }) => `${type} at ${seq}`).join(', ');
  return new SignalboxError('Usage', `This would erase ${counted(digests.length, 'value')} for good: ${places}.`, {
    hint: 'Say --yes if that is what you want.',
    details: { digests: [...digests] },
  });
}
