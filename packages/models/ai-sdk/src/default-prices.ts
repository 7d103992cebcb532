import type { Prices } from './prices.ts';

/**
 * List prices of the providers for requests of the ordinary kind, without surcharges (long contexts, writing to a cache, regions,
 * priority) and without rebates (batches). A starting point: prices change, and accounts have their own. Give `prices` to
 * `createModels` to replace it.
 */
export const DEFAULT_PRICES: Prices = {
  currency: 'USD',
  asOf: '2025-11-30',
  models: {
    'openai/gpt-5': { input: '1.25', cached: '0.125', output: '10' },
    'openai/gpt-5-mini': { input: '0.25', cached: '0.025', output: '2' },
    'openai/gpt-5-nano': { input: '0.05', cached: '0.005', output: '0.4' },
    'openai/gpt-4.1': { input: '2', cached: '0.5', output: '8' },
    'openai/gpt-4.1-mini': { input: '0.4', cached: '0.1', output: '1.6' },
    'openai/gpt-4.1-nano': { input: '0.1', cached: '0.025', output: '0.4' },
    'openai/gpt-4o': { input: '2.5', cached: '1.25', output: '10' },
    'openai/gpt-4o-mini': { input: '0.15', cached: '0.075', output: '0.6' },
    'openai/o3': { input: '2', cached: '0.5', output: '8' },
    'openai/o4-mini': { input: '1.1', cached: '0.275', output: '4.4' },
    'anthropic/claude-opus-4-5': { input: '5', cached: '0.5', output: '25' },
    'anthropic/claude-opus-4-1': { input: '15', cached: '1.5', output: '75' },
    'anthropic/claude-sonnet-4-5': { input: '3', cached: '0.3', output: '15' },
    'anthropic/claude-haiku-4-5': { input: '1', cached: '0.1', output: '5' },
  },
};
