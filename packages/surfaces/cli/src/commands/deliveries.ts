import { toPrincipal } from '@signalbox/core';
import { SignalboxError } from '@signalbox/kernel';
import type { EventStore } from '@signalbox/ports';
import { type DeliveryRow, discardDeliveries, listDeliveries, retryDeliveries } from '@signalbox/runtime';
import type { Command } from 'commander';
import { withBox } from '../box/open-box.ts';
import type { Cli } from '../cli.ts';
import { DONE } from '../exit-code.ts';
import { columns } from '../output/columns.ts';
import { counted } from '../output/counted.ts';
import { styled } from '../output/output.ts';
import type { Act } from './command.ts';

interface DeliveriesOptions {
  readonly channel?: string;
  readonly dead?: boolean;
  readonly retry?: string;
  readonly discard?: string;
  readonly reason?: string;
  readonly send?: boolean;
  readonly as?: string;
}

/** Stands for every dead letter. */
const ALL = 'all';

export function registerDeliveries(program: Command, act: Act): void {
  program
    .command('deliveries')
    .description('messages about requests that are not delivered: those that wait, and dead letters')
    .option('--channel <name>', 'of this channel')
    .option('--dead', 'dead letters alone')
    .option('--retry <message>', 'have a dead letter tried anew, or `all` of them')
    .option('--discard <message>', 'take a dead letter, or `all` of them, out of the list; needs --reason')
    .option('--reason <text>', 'why; it goes into the record')
    .option('--send', 'publish what is due, by the channels of the configuration')
    .option('--as <user>', 'who does it, such as user:finn')
    .action(act(deliveries));
}

async function deliveries(cli: Cli, options: DeliveriesOptions): Promise<number> {
  if ([options.retry, options.discard, options.send].filter(given => given !== undefined).length > 1)
    throw usage('--retry, --discard and --send go one at a time.');
  if (options.reason !== undefined && options.discard === undefined) throw usage('--reason goes with --discard.');
  if (options.discard !== undefined && options.reason === undefined) throw usage('--discard needs a --reason.');
  if (options.send === true) await send(cli);
  return await cli.withStore(async store => {
    if (options.retry !== undefined || options.discard !== undefined) return await change(cli, store, options);
    const { channel, dead } = options;
    const rows = await listDeliveries(store, {
      tenant: cli.tenant,
      ...(channel === undefined ? {} : { channel }),
      ...(dead === true ? { status: 'abandoned' as const } : {}),
    });
    if (cli.json) cli.out.json({ deliveries: rows });
    else print(cli, rows);
    return DONE;
  });
}

/** A box that stops in good order sends what is there before it does. */
async function send(cli: Cli): Promise<void> {
  await withBox(cli, {}, async ({ box }) => {
    await box.ready();
  });
}

async function change(cli: Cli, store: EventStore, options: DeliveriesOptions): Promise<number> {
  const { channel, retry, discard, reason = '', as } = options;
  const message = retry ?? discard;
  const chosen = {
    tenant: cli.tenant,
    ...(channel === undefined ? {} : { channel }),
    ...(message === undefined || message === ALL ? {} : { id: message }),
    now: Date.now(),
    by: toPrincipal(cli.actor(as)),
  };
  const count =
    retry === undefined ? await discardDeliveries(store, { ...chosen, reason }) : await retryDeliveries(store, chosen);
  if (cli.json) cli.out.json({ changed: count });
  else cli.out.line(`${counted(count, 'message')} ${retry === undefined ? 'discarded' : 'to be tried anew'}.`);
  return DONE;
}

function print(cli: Cli, rows: readonly DeliveryRow[]): void {
  const { out } = cli;
  if (rows.length === 0) {
    out.line('Nothing waits to be delivered.');
    return;
  }
  const cells = rows.map(({ id, channel, type, status, attempts, next, request, error = '' }) => [
    id,
    channel,
    type.slice('request.'.length),
    status === 'abandoned' ? 'dead' : `waits until ${next}`,
    String(attempts),
    request,
    error,
  ]);
  const heading = ['MESSAGE', 'CHANNEL', 'TELLS', 'STATUS', 'ATTEMPTS', 'REQUEST', 'LAST ERROR'];
  for (const parts of columns(heading, cells)) out.line(...parts);
  if (rows.some(({ status }) => status === 'abandoned'))
    out.note(styled('dim', `Try one anew: ${cli.next('deliveries --retry MESSAGE')}`));
}

function usage(message: string): SignalboxError {
  return new SignalboxError('Usage', message, { hint: 'See `signalbox help deliveries`.' });
}
