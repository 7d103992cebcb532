import { SignalboxError } from '@signalbox/kernel';
import { createPaint, type Paint } from './paint.ts';
import type { PromptStreams } from './prompt/run-prompt.ts';
import type { FormLanguage, FormWords } from './words/form-words.ts';
import { formLanguage, formWords } from './words/language.ts';

export interface FormTerminalOptions {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  /** Language (`LC_ALL`, `LC_MESSAGES`, `LANG`) and colours (`NO_COLOR`, `FORCE_COLOR`, `TERM`) are taken from it. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly language?: FormLanguage;
  /** IANA zone in which local times are read and shown where a request names none. Default UTC. */
  readonly zone?: string;
}

/** Where a form is shown, and how. */
export interface FormTerminal extends PromptStreams {
  readonly words: FormWords;
  readonly language: FormLanguage;
  readonly paint: Paint;
  readonly zone: string;
  /** Columns; 80 where the terminal does not tell. */
  readonly width: number;
}

/** What displays need of it: they can be printed where nobody sits. */
export type DisplayPage = Pick<FormTerminal, 'paint' | 'width' | 'words'>;

const NARROWEST = 24;

/** @throws SignalboxError `NotInteractive` when nobody can sit there */
export function createFormTerminal({
  input,
  output,
  env = {},
  language,
  zone = 'UTC',
}: FormTerminalOptions): FormTerminal {
  if (input.isTTY !== true || output.isTTY !== true)
    throw new SignalboxError('NotInteractive', 'There is no terminal to show the form in.', {
      hint: "Give the answer: --answers FILE, --values '{…}', or --action approve, reject or cancel.",
    });
  const spoken = language ?? formLanguage(env);
  return {
    input,
    output,
    words: formWords(spoken),
    language: spoken,
    paint: createPaint(hasColours(env)),
    zone,
    // A terminal that does not know its size says 0.
    width: Math.max(NARROWEST, output.columns || 80),
  };
}

function hasColours(env: Readonly<Record<string, string | undefined>>): boolean {
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return false;
  if (env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '0') return true;
  return env.TERM !== 'dumb';
}
