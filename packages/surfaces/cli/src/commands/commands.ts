import { registerAnswer } from './answer.ts';
import type { Register } from './command.ts';
import { registerGraph } from './graph.ts';
import { registerInbox } from './inbox.ts';
import { registerRun } from './run.ts';
import { registerShow } from './show.ts';

/** Every command, in the order of the help. */
export const COMMANDS: readonly Register[] = [registerGraph, registerRun, registerInbox, registerAnswer, registerShow];
