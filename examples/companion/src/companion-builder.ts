import { defineGraph } from 'signalbox';
import { z } from 'zod';
import { MOODS } from './read-emotion.ts';
import { INTENTS } from './utterance.ts';

/** What the nodes share. The language is that of the message. */
export const companion = defineGraph({
  name: 'companion',
  input: z.object({ message: z.string().min(1).max(2000) }),
  state: z.object({
    lang: z.enum(['en', 'zh']).optional(),
    intent: z.enum(INTENTS).optional(),
    mood: z.enum(MOODS).optional(),
  }),
});
