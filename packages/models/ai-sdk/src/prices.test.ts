import { describe, expect, it } from 'vitest';
import { createModels } from './create-models.ts';
import { DEFAULT_PRICES } from './default-prices.ts';
import { costOf, type Prices, priceFault } from './prices.ts';

const PRICES: Prices = {
  currency: 'EUR',
  asOf: '2026-01-01',
  models: {
    'openai/small': { input: '0.1', cached: '0.025', output: '0.7' },
    'openai/large': { input: '3', output: '15' },
    'one/shared': { input: '1', output: '1' },
    'other/shared': { input: '2', output: '2' },
  },
};

describe('what usage costs', () => {
  it.each([
    ['openai/small', { input: 1, output: 0 }, '0.0000001'],
    ['openai/small', { input: 3, output: 1 }, '0.000001'],
    ['openai/small', { input: 1_000_000, output: 1_000_000 }, '0.8'],
    ['openai/small', { input: 1_000, output: 0, cached: 400 }, '0.00007'],
    ['openai/large', { input: 1_000, output: 0, cached: 400 }, '0.003'],
    ['openai/large', { input: 0, output: 0 }, '0'],
    ['openai/large', { input: 2_000_000, output: 2_000_000 }, '36'],
    ['openai/large', { input: 9_007_199_254_740_991, output: 1 }, '27021597764.222988'],
  ])('%s for %j is %s', (model, usage, amount) => {
    expect(costOf(usage, model, PRICES)).toEqual({ amount, currency: 'EUR' });
  });

  it('is known by the name of a snapshot, and by the name that a reply gives', () => {
    const usage = { input: 1_000_000, output: 0 };
    for (const model of ['openai/large-2025-08-07', 'large', 'large-20250807'])
      expect(costOf(usage, model, PRICES)).toEqual({ amount: '3', currency: 'EUR' });
  });

  it('is not known of other models, nor guessed where two have the name', () => {
    for (const model of ['openai/largest', 'shared', 'constructor', 'openai/toString', ''])
      expect(costOf({ input: 1, output: 1 }, model, PRICES)).toBeUndefined();
  });
});

describe('a price table', () => {
  it('of the package is in order, and says of when it is', () => {
    expect(priceFault(DEFAULT_PRICES)).toBeUndefined();
    expect(DEFAULT_PRICES.asOf).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  });

  it('can be replaced', () => {
    const models = createModels({ prices: PRICES });
    expect(models.costOf({ input: 10, output: 0 }, 'openai/large')).toEqual({ amount: '0.00003', currency: 'EUR' });
    expect(models.costOf({ input: 10, output: 0 }, 'openai/gpt-5')).toBeUndefined();
  });

  it.each([
    [{ ...PRICES, currency: 'euro' }, 'euro'],
    [{ ...PRICES, models: { small: { input: '1', output: '1' } } }, 'provider/model'],
    [{ ...PRICES, models: { 'a/b': { input: '1e3', output: '1' } } }, '1e3'],
    [{ ...PRICES, models: { 'a/b': { input: '-1', output: '1' } } }, '-1'],
    [{ ...PRICES, models: { 'a/b': { input: '1', output: '' } } }, 'output'],
  ])('with a fault is refused', (prices, named) => {
    expect(() => createModels({ prices })).toThrow(
      expect.objectContaining({ code: 'InvalidPrices', message: expect.stringContaining(named) }),
    );
  });
});
