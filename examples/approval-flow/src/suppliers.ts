import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** By name, whether a supplier takes orders. */
export type Suppliers = Readonly<Record<string, { readonly takesOrders: boolean }>>;

export function readSuppliers(): Suppliers {
  const file = readFileSync(new URL('../data/suppliers.json', import.meta.url), 'utf8');
  return z.record(z.string(), z.object({ takesOrders: z.boolean() })).parse(JSON.parse(file));
}
