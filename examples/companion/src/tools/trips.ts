import { z } from 'zod';
import { readData } from './data-file.ts';
import { defineTool } from './tool.ts';

const placeSchema = z.strictObject({
  id: z.string(),
  en: z.string(),
  zh: z.string(),
  /** Euros for one person. */
  perDay: z.number(),
  fare: z.number(),
  also: z.array(z.string()),
});
export const PLACES = readData('places', placeSchema);

export const INTERESTS = [
  { id: 'museums', en: 'Museums', zh: '博物馆' },
  { id: 'food', en: 'Food', zh: '美食' },
  { id: 'sea', en: 'Sea', zh: '海' },
  { id: 'mountains', en: 'Mountains', zh: '山' },
] as const;

const plan = {
  destination: z.string(),
  from: z.iso.date(),
  days: z.number(),
  travellers: z.number(),
  interests: z.array(z.string()).optional(),
  budget: z.number(),
};
export const tripPlanSchema = z.strictObject(plan);

const KINDS = ['simple', 'comfortable'] as const;
const offerSchema = z.object({ kind: z.enum(KINDS), cents: z.number() });
export type TripOffer = z.infer<typeof offerSchema>;
export const tripOffersSchema = z.array(offerSchema);

/** Of what the days cost, in hundredths; a wish that the place cannot meet costs nothing. */
const SHARE = { simple: 70, comfortable: 130 } as const;
const PER_INTEREST = 20;

export const findTrips = defineTool({
  effect: 'read',
  args: tripPlanSchema,
  perform: ({ destination, days, travellers, interests = [] }): TripOffer[] => {
    const place = PLACES.find(({ id }) => id === destination);
    if (place === undefined) return [];
    const extras = interests.filter(interest => place.also.includes(interest)).length * PER_INTEREST;
    return KINDS.map(kind => ({
      kind,
      cents: travellers * (days * place.perDay * SHARE[kind] + (place.fare + extras) * 100),
    }));
  },
});

export const saveTrip = defineTool({
  effect: 'once',
  args: z.strictObject({ ...plan, kind: z.enum(KINDS), cents: z.number() }),
  perform: (trip, { ledger, key }) => ({ number: ledger.add({ key, kind: 'trip', detail: trip }) }),
});
