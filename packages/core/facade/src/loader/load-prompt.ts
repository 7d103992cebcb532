import { readFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileText, ExprType, type JsonObject, SignalboxError, sha256Hex, typeOfSchema } from '@signalbox/kernel';
import { type LocatedFault, locateFaults } from './located-fault.ts';

/** A prompt in a file of its own: a version of it is known by its hash. */
export interface Prompt {
  /** The name of the file without its ending, unless another was given. */
  readonly name: string;
  /** `sha256:` and the SHA-256 of the file. */
  readonly hash: string;
  /** As it stands in the file. */
  readonly text: string;
  /**
   * The text with its placeholders filled in: texts as they are, other values as JSON, null as nothing.
   *
   * @throws SignalboxError `PromptFailed` when one cannot be evaluated, such as a field that is not there
   */
  fill(values: Readonly<Record<string, unknown>>): string;
}

export interface LoadPromptOptions {
  readonly name?: string;
  /**
   * JSON Schema of what placeholders may name, so that they are checked. Without it they may name `input`, `state`, `session`,
   * `answers`, `nodes`, `run` and `now`, and nothing is known of their fields.
   */
  readonly variables?: Readonly<Record<string, JsonObject>>;
}

const VARIABLES = ['input', 'state', 'session', 'answers', 'nodes', 'run', 'now'];

/**
 * Reads a prompt with `{{ CEL }}` placeholders from a text or Markdown file. A relative path is taken from where the process
 * runs; `new URL('./prompts/refund.md', import.meta.url)` from beside the code.
 *
 * @throws SignalboxError `UnknownFile`, `InvalidPrompt` with all faults in `details.faults`
 */
export function loadPrompt(file: string | URL, options: LoadPromptOptions = {}): Prompt {
  const path = typeof file === 'string' ? file : fileURLToPath(file);
  const { name = basename(path, extname(path)), variables } = options;
  const bytes = read(path);
  const text = decode(bytes, path);
  const { template, faults } = compileText(text, { variables: typesOf(variables) });
  if (template === undefined) {
    const errors = faults.filter(({ severity }) => severity === 'error');
    throw invalidPrompt(
      path,
      locateFaults(
        errors.map(fault => ({ ...fault, at: fault.offset ?? 0 })),
        text,
        path,
      ),
    );
  }
  return {
    name,
    hash: `sha256:${sha256Hex(text)}`,
    text,
    fill(values) {
      const filled = template.fill(values);
      if (filled.ok) return filled.text;
      throw new SignalboxError('PromptFailed', `The prompt ${name} cannot be filled in: ${filled.reason}.`, {
        hint: 'Give the value, or write has(…) ? … : … or orValue where it may be absent.',
        details: { name, reason: filled.reason },
      });
    },
  };
}

function typesOf(schemas: LoadPromptOptions['variables']): Readonly<Record<string, ExprType>> {
  if (schemas === undefined) return Object.fromEntries(VARIABLES.map(name => [name, ExprType.dyn]));
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, typeOfSchema(schema)]));
}

function read(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SignalboxError('UnknownFile', `The prompt ${path} cannot be read: ${reason}`, {
      details: { file: path },
    });
  }
}

function decode(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Of the decoder's one error there is nothing more to tell.
    throw new SignalboxError('InvalidPrompt', `The prompt ${path} cannot be used: it is not written in UTF-8.`, {
      hint: 'Save it as UTF-8.',
      details: { file: path },
    });
  }
}

function invalidPrompt(path: string, faults: readonly LocatedFault[]): SignalboxError {
  const lines = faults.map(({ line, column, code, message }) => `${path}:${line}:${column} ${code}: ${message}`);
  return new SignalboxError('InvalidPrompt', `The prompt ${path} cannot be used:\n${lines.join('\n')}`, {
    hint: 'Placeholders are CEL: {{ input.message }}.',
    details: {
      file: path,
      faults: faults.map(({ line, column, code, message }) => ({ line, column, code, message })),
    },
  });
}
