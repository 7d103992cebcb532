import { normalizedSchema } from '../schema/normalize.ts';
import { FAIL_CODE, MAP_DEFAULTS, RETRY_DEFAULTS, withRevision } from './defaults.ts';
import type { HandlerReference, NodeCommon, NodeDefinition, RetryPolicy, WaitFor, WaitNode } from './definition.ts';
import { normalizeBudget, normalizeOnReached } from './normalize-limits.ts';
import {
  duration,
  type Parts,
  type Stated,
  sorted,
  template,
  text,
  texts,
  unlessEmpty,
  without,
} from './normalize-parts.ts';
import { normalizeRequest } from './normalize-request.ts';

export function normalizeNode(node: NodeDefinition): NodeDefinition {
  return without({ type: node.type, ...commonParts(node), ...ownParts(node) }) as unknown as NodeDefinition;
}

function commonParts(node: NodeDefinition): Stated<NodeCommon> {
  const { fallback, decides, compensate } = node;
  return {
    input: texts(node.input),
    update: unlessEmpty(texts(node.update)),
    decides: decides && {
      ...decides,
      ...without({
        chosen: text(decides.chosen),
        confidence: decides.confidence?.trim(),
        reason: decides.reason?.trim(),
        options: typeof decides.options === 'string' ? text(decides.options) : decides.options,
      }),
    },
    say: template(node.say),
    retry: node.retry && normalizeRetry(node.retry),
    timeout: duration(node.timeout),
    deadline: duration(node.deadline),
    fallback: unlessEmpty(
      fallback &&
        without({
          node: fallback.node,
          lastGood: fallback.lastGood && { maxAge: duration(fallback.lastGood.maxAge) },
        }),
    ),
    limits: unlessEmpty(
      node.limits &&
        without({
          ...node.limits,
          budget: normalizeBudget(node.limits.budget),
          onReached: normalizeOnReached(node.limits.onReached),
        }),
    ),
    join: node.type === 'join' ? (node.join ?? 'all') : node.join,
    compensate: compensate && without(referenceParts(compensate)),
    restartTargets: unlessEmpty(sorted(node.restartTargets)),
    next: unlessEmpty(node.next),
  };
}

type Own<Type extends NodeDefinition['type']> = Omit<
  Parts<Extract<NodeDefinition, { type: Type }>>,
  keyof NodeCommon | 'type'
>;

function ownParts(node: NodeDefinition): { [Type in NodeDefinition['type']]: Own<Type> }[NodeDefinition['type']] {
  switch (node.type) {
    case 'step':
      return { ...referenceParts(node), output: node.output && normalizedSchema(node.output) };
    case 'ask':
      return { request: normalizeRequest(node.request) };
    case 'transform':
      return { output: texts(node.output) };
    case 'wait':
      return waitParts(node);
    case 'map':
      return {
        items: text(node.items),
        body: bodyOf(node.body),
        concurrency: node.concurrency === MAP_DEFAULTS.concurrency ? undefined : node.concurrency,
        onError: node.onError === MAP_DEFAULTS.onError ? undefined : node.onError,
        maxItems: node.maxItems === MAP_DEFAULTS.maxItems ? undefined : node.maxItems,
      };
    case 'subgraph':
      return { graph: node.graph, share: unlessEmpty(sorted(node.share)) };
    case 'join':
      return {};
    case 'fail':
      return { code: node.code === FAIL_CODE ? undefined : node.code, message: template(node.message) };
  }
}

function referenceParts({ handler, with: settings }: HandlerReference): Parts<HandlerReference> {
  return { handler: withRevision(handler), with: settings };
}

function bodyOf(body: Extract<NodeDefinition, { type: 'map' }>['body']) {
  if ('node' in body) return { node: normalizeNode(body.node) };
  return without({ graph: body.graph, share: unlessEmpty(sorted(body.share)) });
}

function waitParts({
  for: length,
  until,
  signal,
  schema,
  when,
  first,
}: Pick<WaitNode, keyof Own<'wait'>>): Own<'wait'> {
  return {
    for: typeof length === 'string' ? duration(length) : template(length),
    until: template(until),
    signal,
    schema: schema && normalizedSchema(schema),
    when: when?.trim(),
    first: first && Object.fromEntries(Object.entries(first).map(([name, wait]) => [name, normalizeWait(wait)])),
  };
}

function normalizeWait(wait: WaitFor) {
  return without('ask' in wait ? { ask: normalizeRequest(wait.ask) } : waitParts(wait));
}

function normalizeRetry(retry: RetryPolicy) {
  const { attempts, backoff, factor, maxBackoff, jitter, on } = retry;
  const parts: Parts<RetryPolicy> = {
    attempts,
    backoff: timeUnless(backoff, RETRY_DEFAULTS.backoff),
    factor: factor === RETRY_DEFAULTS.factor ? undefined : factor,
    maxBackoff: timeUnless(maxBackoff, RETRY_DEFAULTS.maxBackoff),
    jitter: jitter === RETRY_DEFAULTS.jitter ? undefined : jitter,
    on: sorted(on),
  };
  return without(parts);
}

function timeUnless(source: string | undefined, silent: number): string | undefined {
  const length = duration(source);
  return length === `${silent}ms` ? undefined : length;
}
