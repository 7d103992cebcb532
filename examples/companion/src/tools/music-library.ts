import { z } from 'zod';
import { readData } from './data-file.ts';
import { defineTool } from './tool.ts';

export const GENRES = ['jazz', 'classical', 'electronic', 'folk', 'rock'] as const;
export const OCCASIONS = ['focus', 'relax', 'move'] as const;
export type Occasion = (typeof OCCASIONS)[number];

const trackSchema = z.strictObject({
  title: z.string(),
  by: z.string(),
  genre: z.enum(GENRES),
  occasions: z.array(z.enum(OCCASIONS)),
  minutes: z.number(),
});
export const tracksSchema = z.array(trackSchema);

const LIBRARY = readData('music', trackSchema);
/** Whoever listens much gets more than one piece. */
const HOURS_A_PIECE = 3;

export const findMusic = defineTool({
  effect: 'read',
  args: z.strictObject({ genre: z.enum(GENRES), occasion: z.enum(OCCASIONS), hours: z.number() }),
  perform: ({ genre, occasion, hours }) =>
    LIBRARY.filter(track => track.genre === genre && track.occasions.includes(occasion)).slice(
      0,
      Math.max(1, Math.ceil(hours / HOURS_A_PIECE)),
    ),
});
