import type { Interface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';
import { createPrompt, useEffect, useKeypress, useRef, useState } from '@inquirer/core';
import { isCtrl, toKey } from './key.ts';
import type { PromptModel, PromptView } from './prompt-model.ts';

export interface PromptStreams {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/** Ctrl-C, Ctrl-D or the end of the input: nothing is answered. */
export class PromptLeft extends Error {
  constructor() {
    super('the prompt was left');
    this.name = 'PromptLeft';
  }
}

/** @throws PromptLeft */
export async function runPrompt<State, Value>(
  { input, output }: PromptStreams,
  model: PromptModel<State, Value>,
): Promise<Value> {
  try {
    const ended = await showPrompt(model as PromptModel<unknown, unknown>, { input, output });
    if (ended === undefined) throw new PromptLeft();
    return ended.value as Value;
  } catch (error) {
    if (error instanceof Error && error.name === 'ExitPromptError') throw new PromptLeft();
    throw error;
  }
}

interface Ended {
  readonly value: unknown;
}

/**
 * The library reads keys and draws; what they mean and what is drawn is the model's. However many keys come at once, as in a
 * paste, they are drawn once. Undefined: the input has ended.
 */
const showPrompt = createPrompt<Ended | undefined, PromptModel<unknown, unknown>>((model, done) => {
  const now = useRef({ state: model.start, isToBeDrawn: false, isOver: false });
  // In a box, so that it is drawn anew even when it is the same: the library's reader has moved the cursor.
  const [{ state }, setDrawn] = useState<{ readonly state: unknown }>({ state: model.start });
  const [ended, setEnded] = useState<Ended | undefined>(undefined);
  const end = (result: Ended | undefined) => {
    now.current.isOver = true;
    setEnded(result);
    done(result);
  };
  useEffect(reader => {
    mirror(reader, model.view(model.start));
    (reader as unknown as Interface).once('close', () => {
      // Writing to a closed reader would open the input again, and the process would never end.
      now.current.isOver = true;
      // The key that closes it may end the prompt as well, and comes first then.
      setImmediate(() => done(undefined));
    });
  }, []);
  useKeypress((event, reader) => {
    if (now.current.isOver) return;
    const key = toKey(event);
    if (isCtrl(key, 'd') && model.takesCtrlD !== true) return end(undefined);
    const pressed = model.press(now.current.state, key);
    if ('value' in pressed) return end({ value: pressed.value });
    now.current.state = pressed.state;
    if (reader.line === '') reader.write(' ');
    if (now.current.isToBeDrawn) return;
    now.current.isToBeDrawn = true;
    setImmediate(() => {
      now.current.isToBeDrawn = false;
      if (now.current.isOver) return;
      mirror(reader, model.view(now.current.state));
      setDrawn({ state: now.current.state });
    });
  });
  if (ended !== undefined) return model.closing(ended.value).join('\n');
  const { above, line, below } = model.view(state);
  return [[...above, line].join('\n'), below.join('\n')];
});

/**
 * The library puts the cursor where its line reader has it, so the reader is made to hold the very line that is drawn. That
 * line is never empty, also between two keys of one paste: at an empty one Ctrl-D would close the reader before the prompt has
 * seen the key.
 */
function mirror(reader: Pick<Interface, 'write'>, { line, cursor }: PromptView): void {
  const text = stripVTControlCharacters(line);
  reader.write(null, { name: 'e', ctrl: true });
  reader.write(null, { name: 'u', ctrl: true });
  reader.write(text);
  for (const _ of text.slice(cursor)) reader.write(null, { name: 'left' });
}
