import { readSecret, type SecretSource, type ToolContext } from '@signalbox/ports';
import type { EffectTools } from '../journal/effect-tools.ts';
import type { TaskExecution } from '../journal/execution.ts';

/** What the code of a tool gets beside its arguments. */
export function toolContext(execution: TaskExecution, secrets: SecretSource, tools: EffectTools): ToolContext {
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
      return tools.idempotencyKey;
    },
    get signal() {
      return tools.signal;
    },
  };
}
