import { setTimeout as sleep } from 'node:timers/promises';
import { createModels } from '@signalbox/models-ai-sdk';
import type { ModelPort, ModelRequest } from 'signalbox';
import type { Language, Review, Reviewer } from './review.ts';
import { SCRIPTS } from './script.ts';

export interface Reviewers {
  readonly model: string;
  readonly models: ModelPort;
  readonly isScripted: boolean;
}

const REAL = [
  ['OPENAI_API_KEY', 'openai/gpt-5-mini'],
  ['ANTHROPIC_API_KEY', 'anthropic/claude-haiku-4-5'],
] as const;

/** Real models where there is a key, or the one that `REVIEW_MODEL` names; else the scripted reviewers, which say what they say. */
export function chooseReviewers(env: Readonly<Record<string, string | undefined>>, pace = 0): Reviewers {
  const model = env.REVIEW_MODEL || REAL.find(([key]) => env[key])?.[1];
  if (model !== undefined) return { model, models: createModels(), isScripted: false };
  return { model: 'scripted/reviewer', models: scriptedReviewers(pace), isScripted: true };
}

/** Stands where a model would. Everything it says follows from what it is asked, so it goes on in any process. */
export function scriptedReviewers(pace = 0): ModelPort {
  return {
    async call(request, { signal }) {
      await sleep(pace, undefined, { signal });
      return {
        text: JSON.stringify(review(request)),
        calls: [],
        finish: 'stop',
        usage: { input: 0, output: 0 },
        model: request.model,
        attempts: 1,
      };
    },
  };
}

function review({ system = '', messages: [message] }: ModelRequest): Review {
  const prompt = message?.role === 'user' ? message.text : '';
  const name: Reviewer = system.includes('You are Ada.') ? 'ada' : 'bob';
  const language: Language = system.includes('中文') ? 'zh' : 'en';
  const [before, ...behind] = prompt.split(/^\d+\. person: /m);
  const { circle, assent } = SCRIPTS[language][name];
  const [lines, heard] = behind.length === 0 ? [circle, before!] : [assent, behind.at(-1)!];
  const turns = heard.match(new RegExp(`^\\d+\\. ${name}: `, 'gm'))?.length ?? 0;
  return { comment: lines[turns % lines.length]!, verdict: 'change' };
}
