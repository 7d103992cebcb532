import type { Language } from '@signalbox/example-shared';
import type { AskRequest } from 'signalbox';
import { z } from 'zod';
import type { Ledger } from './ledger.ts';

/** What a tool has to work with; `key` is the same at every try of one call. */
export interface Desk {
  readonly ledger: Ledger;
  readonly key: string;
}

/** What the companion can do. Its name is that of `tool-names.ts`. */
export interface Tool {
  /** `once` changes something outside and knows a call by its key. */
  readonly effect: 'read' | 'once';
  /** Who has to agree, and to what, before the call is let through; undefined where nobody has to. */
  approval(args: unknown, lang: Language): AskRequest | undefined;
  perform(args: unknown, desk: Desk): unknown;
}

interface ToolParts<Args> {
  readonly effect: Tool['effect'];
  readonly args: z.ZodType<Args>;
  approval?(args: Args, lang: Language): AskRequest | undefined;
  perform(args: Args, desk: Desk): unknown;
}

/** Its arguments are read strictly wherever they come from. */
export function defineTool<Args>({ effect, args: schema, approval, perform }: ToolParts<Args>): Tool {
  return {
    effect,
    approval: (args, lang) => approval?.(schema.parse(args), lang),
    perform: (args, desk) => perform(schema.parse(args), desk),
  };
}

/** A tool could not do what it was called for; the message says why. */
export class ToolError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'ToolError';
    this.code = code;
  }
}

export const noArgs = z.strictObject({});
