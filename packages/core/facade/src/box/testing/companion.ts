import { z } from 'zod';
import { defineGraph } from '../../builder/define-graph.ts';

/** Lets a handler be held at work until it is told to end. */
export interface Gate {
  readonly entered: string[];
  open(): void;
}

/**
 * A graph whose first node notes when it begins and ends, asks between them where the input says so, and answers to the
 * session. `hold`: what the handler waits for at work.
 */
export function companion(log: string[], hold: () => Promise<void> = async () => {}) {
  const builder = defineGraph({
    name: 'companion',
    input: z.object({ message: z.string(), asks: z.boolean().optional() }),
  });
  const think = builder.step({ output: z.object({ said: z.string() }) }, async ctx => {
    log.push(`+${ctx.input.message}`);
    await hold();
    if (ctx.input.asks) {
      log.push(`?${ctx.input.message}`);
      const answer = await ctx.ask('genre', {
        title: 'Which genre?',
        form: z.object({ genre: z.enum(['jazz', 'rock']) }),
      });
      log.push(`!${ctx.input.message}`);
      if (answer.action === 'approve') ctx.session?.update({ genre: answer.values.genre });
    }
    log.push(`-${ctx.input.message}`);
    ctx.session?.say(`You said: ${ctx.input.message}`);
    return { said: ctx.input.message };
  });
  return builder.build({ entry: 'think', nodes: { think }, routes: {} });
}

/** A promise that is kept by hand. */
export function gate(): { readonly passed: Promise<void>; open(): void } {
  let open = () => {};
  const passed = new Promise<void>(resolve => {
    open = resolve;
  });
  return { passed, open: () => open() };
}
