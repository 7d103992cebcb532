import { z } from 'zod';
import { companion } from '../companion-builder.ts';
import { type ToolResult, toolResultSchema } from '../facts.ts';
import type { Call } from '../move.ts';
import type { Ledger } from '../tools/ledger.ts';
import { TOOLBOX } from '../tools/toolbox.ts';

/**
 * Calls a tool. Where somebody has to agree it asks, and goes on where it asked with the very arguments that were shown: they are the
 * subject of the approval. An intent is durable before anything is changed, and after a crash the same key is used again.
 */
export function toolsNode(ledger: Ledger) {
  return companion.step({ output: toolResultSchema, timeout: '1m' }, async (ctx): Promise<ToolResult> => {
    const { tool, args } = ctx.given as Call;
    const { effect, approval, perform } = TOOLBOX[tool];
    const lang = ctx.state.lang ?? 'en';
    const question = approval(args, lang);
    if (question !== undefined) {
      const { action } = await ctx.ask('approve', { ...question, subject: { tool, args }, context: { lang } });
      if (action !== 'approve') return { tool, status: action === 'expired' ? 'expired' : 'rejected' };
    }
    const output = await ctx.run(
      tool,
      ({ idempotencyKey }) => z.json().parse(perform(args, { ledger, key: idempotencyKey })),
      effect === 'once' ? { once: true, onDoubt: 'retry', args } : { args },
    );
    return { tool, status: 'done', output };
  });
}
