import { readSecret, type SecretSource, type ToolContext } from '@signalbox/ports';
import type { EffectTools } from '../journal/effect-tools.ts';
import type { TaskExecution } from '../journal/execution.ts';
import { sha256 } from '../log/commit-codec.ts';

/**
 * What the code of a tool gets beside its arguments. `judged`: the attempt in which the call was judged. Those of two attempts
 * are two calls, also at the same place in the journal.
 */
export function toolContext(
  execution: TaskExecution,
  secrets: SecretSource,
  tools: EffectTools,
  judged = 1,
): ToolContext {
  const { id: runId, requestId, session, tenant } = execution.current();
  const secret = async (reference: string) => {
    const value = await readSecret(reference, secrets);
    execution.conceal(value);
    return value;
  };
  return {
    runId,
    requestId,
    session,
    tenant,
    secret,
    get idempotencyKey() {
      return judged === 1 ? tools.idempotencyKey : sha256(`${tools.idempotencyKey}~${judged}`);
    },
    get signal() {
      return tools.signal;
    },
  };
}
