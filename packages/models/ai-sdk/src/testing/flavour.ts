import { createModels, type Models, type ModelsOptions } from '../create-models.ts';
import type { Services } from '../model-service.ts';

/** What must not be seen anywhere. */
export const CANARY = 'sk-canary-7Q2fXw9Lk3';

export const FLAVOURS = ['openai', 'openai-chat', 'anthropic', 'compatible'] as const;
export type Flavour = (typeof FLAVOURS)[number];

/** The model of each, all served by the stand-in at `url`. */
export function servicesAt(baseUrl: string): Services {
  const key = 'secret:CANARY';
  return {
    openai: { kind: 'openai', baseUrl, key },
    'openai-chat': { kind: 'openai', api: 'chat', baseUrl, key },
    anthropic: { kind: 'anthropic', baseUrl, key },
    compatible: { kind: 'openai-compatible', baseUrl, key },
  };
}

export const MODEL: Readonly<Record<Flavour, string>> = {
  openai: 'openai/gpt-4.1-mini',
  'openai-chat': 'openai-chat/gpt-4.1-mini',
  anthropic: 'anthropic/claude-haiku-4-5',
  compatible: 'compatible/local/llama',
};

/** Waits take no time, and stand in `waited`. */
export function modelsAt(url: string, options: ModelsOptions = {}): Models & { readonly waited: readonly number[] } {
  const waited: number[] = [];
  const models = createModels({
    providers: servicesAt(url),
    secrets: name => (name === 'CANARY' ? CANARY : undefined),
    random: () => 1,
    observe: notice => notice.kind === 'retry' && waited.push(notice.wait),
    retry: { backoff: '4ms' },
    ...options,
  });
  return { ...models, waited };
}
