import type { Command } from 'commander';
import type { Act, Register } from './command.ts';
import { registerSessionList } from './session-list.ts';
import { registerSessionMessages } from './session-messages.ts';
import { registerSessionShow } from './session-show.ts';

const SESSION_COMMANDS: readonly Register[] = [registerSessionList, registerSessionShow, registerSessionMessages];

export function registerSession(program: Command, act: Act): void {
  const session = program
    .command('session')
    .description('conversations and cases: status, messages, state at any time');
  for (const register of SESSION_COMMANDS) register(session, act);
}
