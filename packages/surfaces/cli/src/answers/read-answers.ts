import { readDocument } from '@signalbox/core';
import {
  type Fault,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  pointerTo,
  SignalboxError,
} from '@signalbox/kernel';
import type { Cli } from '../cli.ts';
import { readSource } from '../read-argument.ts';
import { AnswerScript, type ScriptAnswer } from './answer-script.ts';

/** One answer, for whatever is asked first; or answers by the id, title or node of their questions. */
export type Answers = { readonly one: ScriptAnswer } | { readonly script: AnswerScript };

const KEYS: readonly string[] = ['action', 'values', 'note', 'as'];

/**
 * Reads `--answers FILE`: YAML or JSON, `-` for standard input.
 * @throws SignalboxError `UnknownFile`, `InvalidAnswers`
 */
export async function readAnswers(cli: Cli, file: string): Promise<Answers> {
  const { value, faults } = readDocument(await readSource(cli, file), { file });
  if (value === undefined) throw invalidAnswers(file, faults);
  const found: Fault[] = [];
  const answers = readValue(value, found);
  if (found.length > 0)
    throw invalidAnswers(
      file,
      found.map(fault => ({ ...fault, file })),
    );
  return answers;
}

function readValue(value: JsonValue, faults: Fault[]): Answers {
  if (isJsonObject(value) && KEYS.some(key => Object.hasOwn(value, key))) return { one: readAnswer(value, '', faults) };
  if (!isJsonObject(value) || Object.keys(value).length === 0) {
    fault(faults, '', 'The file must hold an answer, or answers by the id, title or node of their questions.');
    return { one: {} };
  }
  const named = Object.entries(value).map(([name, given]): [string, ScriptAnswer[]] => {
    const pointer = pointerTo('', name);
    const list: readonly JsonValue[] = Array.isArray(given) ? given : [given];
    const place = (index: number) => (Array.isArray(given) ? pointerTo(pointer, index) : pointer);
    return [name, list.map((each, index) => readAnswer(each, place(index), faults))];
  });
  return { script: new AnswerScript(new Map(named)) };
}

function readAnswer(value: JsonValue, pointer: string, faults: Fault[]): ScriptAnswer {
  if (!isJsonObject(value)) {
    fault(faults, pointer, 'An answer must be a map with `values`, `action`, `note` or `as`.');
    return {};
  }
  for (const [key, member] of Object.entries(value)) {
    const place = pointerTo(pointer, key);
    if (!KEYS.includes(key)) fault(faults, place, `An answer has no \`${key}\`, only ${KEYS.join(', ')}.`);
    else if (key === 'values' ? !isJsonObject(member) : typeof member !== 'string')
      fault(faults, place, `\`${key}\` must be ${key === 'values' ? 'a map' : 'a text'}.`);
  }
  return value as JsonObject & ScriptAnswer;
}

function fault(faults: Fault[], pointer: string, message: string): void {
  faults.push({ code: 'WrongType', severity: 'error', pointer, message });
}

function invalidAnswers(file: string, faults: readonly Fault[]): SignalboxError {
  return new SignalboxError('InvalidAnswers', `${file} holds no answers that can be read.`, {
    hint: 'Write one answer, such as `values: { amount: 5 }`, or several below the ids, titles or nodes of their questions.',
    details: { file, faults: faults.map(each => ({ ...each })) },
  });
}
