import type { Language } from '@signalbox/example-shared';
import { z } from 'zod';
import type { Mood } from './read-emotion.ts';
import { TOOL_NAMES, type ToolName } from './tools/tool-names.ts';

/** What the tool that was called last in this pass gave, or why it was not let through. */
export const toolResultSchema = z.object({
  tool: z.enum(TOOL_NAMES),
  status: z.enum(['done', 'rejected', 'expired']),
  output: z.json().optional(),
});
export type ToolResult = z.infer<typeof toolResultSchema>;

/** All that is reasoned from. Nothing else is known, and nothing is guessed. */
export interface Facts {
  readonly message: string;
  readonly lang: Language;
  readonly mood: Mood;
  /** `2026-03-04`. */
  readonly today: string;
  /** Values of established answers, by what was lacking. */
  readonly known: Readonly<Record<string, unknown>>;
  /** Points that the user has made before this message. */
  readonly points: readonly string[];
  readonly result: ToolResult | undefined;
}

/** An established answer, or undefined where it was not asked for yet. */
export function answerTo<Values>(facts: Facts, gap: string, schema: z.ZodType<Values>): Values | undefined {
  return schema.safeParse(facts.known[gap]).data;
}

/** What a tool gave, when it was the last one called and was let through. */
export function resultOf<Output>({ result }: Facts, tool: ToolName, schema: z.ZodType<Output>): Output | undefined {
  return result?.tool === tool && result.status === 'done' ? schema.parse(result.output) : undefined;
}
