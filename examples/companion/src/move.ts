import type { AskRequest } from 'signalbox';
import { z } from 'zod';
import { TOOL_NAMES } from './tools/tool-names.ts';

const values = z.record(z.string(), z.json());

/**
 * What the companion does next: it asks for what it lacks, calls a tool, or replies.
 * `gap` names what is lacking (`music.taste`); the answer comes back under this name.
 */
export const moveSchema = z.discriminatedUnion('move', [
  z.object({ move: z.literal('ask'), gap: z.string(), request: values, because: z.string() }),
  z.object({ move: z.literal('call'), tool: z.enum(TOOL_NAMES), args: values, because: z.string() }),
  z.object({ move: z.literal('reply'), text: z.string() }),
]);

export type Move = z.infer<typeof moveSchema>;
export type Ask = Extract<Move, { move: 'ask' }>;
export type Call = Extract<Move, { move: 'call' }>;

export function ask(gap: string, because: string, request: AskRequest): Ask {
  return { move: 'ask', gap, request: values.parse(request), because };
}

export function call(tool: Call['tool'], args: Call['args'], because: string): Call {
  return { move: 'call', tool, args, because };
}

export function reply(text: string): Extract<Move, { move: 'reply' }> {
  return { move: 'reply', text };
}
