import type { NodeContext } from 'signalbox';
import { z } from 'zod';

const valuesSchema = z.record(z.string(), z.json());

type Answers = NodeContext['answers'];

/** Values of the answers that began this pass anew, by what was lacking. */
export function knownAnswers(answers: Answers): Record<string, z.infer<typeof valuesSchema>> {
  return Object.fromEntries(answers.map(({ name, node, values = {} }) => [name ?? node, valuesSchema.parse(values)]));
}

/** What people wrote into forms in their own words. `since`, epoch ms: what was remembered may be months old. */
export function remarksIn(answers: Answers, since: number): readonly string[] {
  return answers
    .filter(({ at }) => Date.parse(at) >= since)
    .flatMap(({ values = {} }) => (typeof values.remarks === 'string' ? [values.remarks] : []));
}
