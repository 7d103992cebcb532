/** A graph of a conversation. Its handler leaves a line in a file when it begins and when it ends. */
import { appendFileSync } from 'node:fs';
import { defineGraph } from 'signalbox';
import { z } from 'zod';

export function dialogue(witness: string, slow = 3) {
  const leave = (line: string) => appendFileSync(witness, `${line}\n`);
  const builder = defineGraph({ name: 'dialogue', input: z.object({ message: z.string(), asks: z.boolean() }) });
  const think = builder.step(async ctx => {
    const { message, asks } = ctx.input;
    const work = async (part: string) => {
      leave(`+${message}/${part}`);
      await new Promise(resolve => setTimeout(resolve, slow));
      leave(`-${message}/${part}`);
    };
    await ctx.run('first', () => work('first'));
    if (asks) await ctx.ask('more', { title: 'More?', form: z.object({ more: z.boolean() }) });
    await ctx.run('second', () => work('second'));
    ctx.session?.say(message);
    return message;
  });
  return builder.build({ entry: 'think', nodes: { think }, routes: {} });
}

/** Most pieces of work that were under way at once, by the lines that they left. */
export function mostAtOnce(lines: readonly string[]): number {
  const under = new Set<string>();
  let most = 0;
  for (const line of lines) {
    if (line.startsWith('+')) under.add(line.slice(1));
    else under.delete(line.slice(1));
    most = Math.max(most, under.size);
  }
  return most;
}
