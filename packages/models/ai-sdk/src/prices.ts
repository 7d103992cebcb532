import { addDecimals, type Money, scaleDecimal } from '@signalbox/kernel';
import type { ModelUsage } from '@signalbox/ports';

/** What tokens cost. Amounts are decimal texts per million tokens. */
export interface Prices {
  /** ISO 4217. */
  readonly currency: string;
  /** The day they were looked up. */
  readonly asOf: string;
  /** By `provider/model`. */
  readonly models: Readonly<Record<string, ModelPrice>>;
}

export interface ModelPrice {
  readonly input: string;
  /** Input that the provider had kept; default as `input`. */
  readonly cached?: string;
  readonly output: string;
}

/**
 * What usage costs, exactly. `model`: as it was asked for (`openai/gpt-5-mini`) or as the provider names it in a reply
 * (`gpt-5-mini-2025-08-07`). Undefined: the price is not known, or the usage.
 */
export function costOf(usage: ModelUsage, model: string, prices: Prices): Money | undefined {
  const price = priceOf(model, prices);
  if (price === undefined || usage.unknown === true) return undefined;
  const cached = usage.cached ?? 0;
  const parts = [
    perMillion(price.input, usage.input - cached),
    perMillion(price.cached ?? price.input, cached),
    perMillion(price.output, usage.output),
  ];
  return { amount: parts.reduce(addDecimals), currency: prices.currency };
}

/** `price` is for 10^6 tokens. */
function perMillion(price: string, tokens: number): string {
  return scaleDecimal(price, BigInt(tokens), 6);
}

/** A dated name is a snapshot of the model without the date. */
const DATE = /-(\d{4}-\d{2}-\d{2}|\d{8})$/;

function priceOf(model: string, { models }: Prices): ModelPrice | undefined {
  for (const name of [model, model.replace(DATE, '')]) {
    if (Object.hasOwn(models, name)) return models[name];
    // A reply names no provider; one that several list is not guessed at.
    const same = Object.keys(models).filter(known => known.slice(known.indexOf('/') + 1) === name);
    if (same.length === 1) return models[same[0]!];
  }
  return undefined;
}

/** With as many digits behind the point as leave the cost within what amounts of money may have. */
const PRICE = /^\d{1,12}(\.\d{1,12})?$/;

/** What is wrong with a table, in words; undefined: nothing. */
export function priceFault({ currency, models }: Prices): string | undefined {
  if (!/^[A-Z]{3}$/.test(currency)) return `its currency ${JSON.stringify(currency)} is no ISO 4217 code`;
  for (const [model, price] of Object.entries(models)) {
    if (!model.includes('/')) return `${JSON.stringify(model)} is not written as provider/model`;
    const wrong = Object.entries(price).find(([, amount]) => !PRICE.test(amount));
    if (wrong !== undefined)
      return `${model} has the ${wrong[0]} price ${JSON.stringify(wrong[1])}, which is no decimal text`;
  }
  return undefined;
}
