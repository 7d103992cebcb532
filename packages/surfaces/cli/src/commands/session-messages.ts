import { sessionMessages } from '@signalbox/runtime';
import { jsonText } from '@signalbox/terminal-form/text';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { DONE } from '../exit-code.ts';
import { styled } from '../output/output.ts';
import { readSeq } from '../read-argument.ts';
import type { Act } from './command.ts';

interface MessagesOptions {
  readonly limit: string;
  readonly before?: string;
}

export function registerSessionMessages(session: Command, act: Act): void {
  session
    .command('messages')
    .argument('<session>', 'id of the session')
    .description('its newest messages, in order')
    .option('--limit <n>', 'at most so many', '50')
    .option('--before <seq>', 'those before this one')
    .action(act(messages));
}

async function messages(cli: Cli, id: string, { limit, before }: MessagesOptions): Promise<number> {
  return await cli.withStore(async store => {
    const found = await sessionMessages(
      store,
      { id, tenant: cli.tenant },
      {
        limit: readSeq('--limit', limit),
        ...(before === undefined ? {} : { before: readSeq('--before', before) }),
      },
    );
    if (cli.json) cli.out.json({ messages: found });
    else
      for (const { seq, at, role, content } of found) {
        cli.out.line(styled('dim', `${seq}  ${at}  `), styled('bold', role));
        cli.out.block(typeof content === 'string' ? content : jsonText(content, 2), '  ');
      }
    return DONE;
  });
}
