import { readJsonLines } from '@signalbox/example-shared';
import type { z } from 'zod';

/** A file of `data/`. @throws DataFileError */
export function readData<Row>(name: string, schema: z.ZodType<Row>): readonly Row[] {
  return readJsonLines(new URL(`../../data/${name}.jsonl`, import.meta.url), schema);
}
