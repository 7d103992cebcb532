import type { Command } from 'commander';
import type { Act, Register } from './command.ts';
import { registerMemoryEdit } from './memory-edit.ts';
import { registerMemoryForget } from './memory-forget.ts';
import { registerMemoryList } from './memory-list.ts';

const MEMORY_COMMANDS: readonly Register[] = [registerMemoryList, registerMemoryEdit, registerMemoryForget];

export function registerMemory(program: Command, act: Act): void {
  const memory = program.command('memory').description('answers that need not be asked for again: list, edit, forget');
  for (const register of MEMORY_COMMANDS) register(memory, act);
}
