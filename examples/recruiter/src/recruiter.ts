import { readJsonLines } from '@signalbox/example-shared';
import { defineGraph, type ToolCode } from 'signalbox';
import { z } from 'zod';
import type { OfferLetters } from './offer-letters.ts';
import { candidateIdsIn, createUnderstanding } from './understand.ts';

const CANDIDATES = new URL('../data/candidates.jsonl', import.meta.url);
export const CONTRACT = new URL('../contracts/hr_recruiter.yaml', import.meta.url);

const candidate = z.strictObject({ id: z.string(), name: z.string(), years_experience: z.number() });

/** What the session knows: it outlives the run of one message. */
const known = z.object({
  mentioned: z.array(z.string()).default([]),
  user_complaints: z.number().default(0),
  task_progress: z.object({ step: z.enum(['screening', 'offer_negotiation']) }).default({ step: 'screening' }),
});

export interface RecruiterOptions {
  /** Name of the model that is asked. */
  readonly model: string;
  readonly letters: OfferLetters;
  /** The file of the contract, read at the start of each run. */
  readonly contract: string | URL;
}

export function createRecruiter({ model, letters, contract }: RecruiterOptions) {
  const understand = createUnderstanding();
  const desk = defineGraph({ name: 'recruiter', input: z.object({ message: z.string() }), state: known });

  /** What the message adds to what is known is worked out by rules and a classifier, never by the agent itself. */
  const listen = desk.step(ctx => {
    const { message } = ctx.input;
    const before = known.parse(ctx.session?.state ?? {});
    const { intent, confidence } = understand(message);
    ctx.decide('intent', { chosen: intent, confidence, decidedBy: 'model:naive-bayes' });
    const now = {
      mentioned: [...new Set([...before.mentioned, ...candidateIdsIn(message)])],
      user_complaints: before.user_complaints + (intent === 'complaint' ? 1 : 0),
      task_progress: intent === 'negotiate' ? { step: 'offer_negotiation' as const } : before.task_progress,
    };
    ctx.update(now);
    ctx.session?.update(now);
  });

  const work = desk.agent({
    model,
    contract,
    tools: toolsOf(letters),
    system:
      'You help recruiters. Reply briefly, in the language of the message, with nothing that no tool has told you.',
    prompt: ctx => ctx.input.message,
    timeout: '30d',
  });

  const reply = desk.step(ctx => {
    const said = String(ctx.nodes.work?.output);
    ctx.session?.say(said);
    return said;
  });
  const sorry = desk.step(ctx => {
    const said = `This did not work (${ctx.error?.code}).`;
    ctx.session?.say(said);
    return said;
  });

  return desk.build({
    entry: 'listen',
    nodes: { listen, work, reply, sorry },
    routes: {
      listen: [{ to: 'work' }],
      work: [{ to: 'sorry', on: 'failed', because: 'the agent failed' }, { to: 'reply' }],
    },
  });
}

function toolsOf(letters: OfferLetters): Record<string, ToolCode> {
  const candidates = readJsonLines(CANDIDATES, candidate);
  return {
    get_candidate_info: ({ candidate_id }) => {
      const found = candidates.find(({ id }) => id === candidate_id);
      if (found === undefined) throw new Error(`There is no candidate ${candidate_id}.`);
      return { name: found.name, years_experience: found.years_experience };
    },
    send_offer_letter: ({ candidate_id, annual_salary }, { idempotencyKey }) => {
      letters.send(idempotencyKey, { candidate: String(candidate_id), salary: Number(annual_salary) });
      return { sent: true };
    },
  };
}
