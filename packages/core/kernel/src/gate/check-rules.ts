import { mayTurnOut, type Passage, type Stop } from './passage.ts';

/** The stage `rules`. A call whose idempotency key cannot be made breaks a rule that no contract may lift. */
export function checkRules(passage: Passage): Stop | undefined {
  const { contract, call, sight } = passage;
  sight.tool = call.tool;
  const broken = contract.rules.flatMap(({ definition: { tools, message }, assert }) => {
    if (tools !== undefined && !tools.includes(call.tool)) return [];
    const why = passage.whyNot(assert);
    return why === undefined ? [] : [{ message, why, retryable: mayTurnOut(assert) }];
  });
  const keyless = broken.length > 0 ? undefined : makeIdempotencyKey(passage);
  if (keyless !== undefined)
    return passage.refuse('rules', {
      code: 'ruleBroken',
      message: keyless,
      retryable: mayTurnOut(passage.tool.idempotencyKey!),
    });
  if (broken.length === 0) return passage.pass('rules');
  const message = broken.map(rule => `${rule.message} (${rule.why})`).join('; ');
  return passage.refuse('rules', {
    code: 'ruleBroken',
    message: `\`${call.tool}\` may not be called like this: ${message}.`,
    retryable: broken.every(rule => rule.retryable),
  });
}

function makeIdempotencyKey(passage: Passage): string | undefined {
  const { idempotencyKey } = passage.tool;
  if (idempotencyKey === undefined) return undefined;
  const result = idempotencyKey.evaluate(passage.sight);
  if (result.ok && typeof result.value === 'string' && result.value !== '') {
    passage.idempotencyKey = result.value;
    return undefined;
  }
  const why = result.ok
    ? `\`${idempotencyKey.source}\` gives no text`
    : passage.unevaluable(idempotencyKey, result.reason);
  return `A call of \`${passage.call.tool}\` needs an idempotency key: ${why}.`;
}
