import { type JsonValue, SignalboxError } from '@signalbox/kernel';
import type {
  ModelCallOptions,
  ModelErrorCode,
  ModelPort,
  ModelReply,
  ModelRequest,
  ModelToolCall,
} from '@signalbox/ports';

/** What a scripted model says: a text, or the parts of a reply that matter. */
export type ScriptedReply = string | ScriptedParts;

export interface ScriptedParts extends Partial<Pick<ModelReply, 'text' | 'finish' | 'usage' | 'model' | 'attempts'>> {
  /** Default id `call_1`, `call_2` …; arguments that are no text are written as JSON. */
  readonly calls?: readonly ScriptedCall[];
}

export interface ScriptedCall {
  readonly id?: string;
  readonly tool: string;
  readonly arguments: string | JsonValue;
}

/** `when`: the line is for requests that it holds for, whatever their order; else lines are for one request each, in order. */
export type ScriptLine =
  | ScriptedReply
  | ((request: ModelRequest) => ScriptLine)
  | { readonly fails: ModelErrorCode; readonly message?: string }
  | {
      readonly when: (request: ModelRequest) => boolean;
      readonly say: ScriptLine;
      /** For any number of requests, not for one. */
      readonly always?: true;
    };

export interface ScriptedModel extends ModelPort {
  /** Every request, oldest first, as it was then. */
  readonly requests: readonly ModelRequest[];
  /** Lines that nobody has asked for; those with `always` do not count. */
  readonly left: number;
}

type Matched = Extract<ScriptLine, { readonly when: unknown }>;

/** A model that says what it is told to: lines with `when` that hold come first, then the others, in their order. */
export function scriptedModel(lines: readonly ScriptLine[]): ScriptedModel {
  const open = [...lines];
  const requests: ModelRequest[] = [];
  let calls = 0;

  function take(request: ModelRequest): ScriptLine {
    const matched = open.findIndex(line => isMatched(line) && line.when(request));
    const index = matched === -1 ? open.findIndex(line => !isMatched(line)) : matched;
    const line = open[index];
    if (line === undefined) throw scriptOver(request, requests.length, open.length);
    if (!(isMatched(line) && line.always)) open.splice(index, 1);
    return isMatched(line) ? line.say : line;
  }

  function toReply(line: ScriptLine, request: ModelRequest): ModelReply {
    if (typeof line === 'function') return toReply(line(request), request);
    if (typeof line === 'string') return toReply({ text: line }, request);
    if (isMatched(line)) return toReply(line.say, request);
    if ('fails' in line) throw new SignalboxError(line.fails, line.message ?? `The script lets the model fail.`);
    const toolCalls = (line.calls ?? []).map(call => {
      calls += 1;
      return toCall(call, calls);
    });
    return {
      text: line.text ?? '',
      calls: toolCalls,
      finish: line.finish ?? (toolCalls.length > 0 ? 'tools' : 'stop'),
      usage: line.usage ?? { input: 0, output: 0 },
      model: line.model ?? request.model,
      attempts: line.attempts ?? 1,
    };
  }

  return {
    requests,
    get left() {
      return open.filter(line => !(isMatched(line) && line.always)).length;
    },
    async call(request: ModelRequest, { signal, onText }: ModelCallOptions) {
      signal.throwIfAborted();
      requests.push(structuredClone(request));
      const reply = toReply(take(request), request);
      for (const word of reply.text.match(/\s*\S+\s*/g) ?? []) onText?.(word);
      return reply;
    },
  };
}

function isMatched(line: ScriptLine): line is Matched {
  return typeof line === 'object' && 'when' in line;
}

function toCall({ id, tool, arguments: args }: ScriptedCall, number: number): ModelToolCall {
  return { id: id ?? `call_${number}`, tool, arguments: typeof args === 'string' ? args : JSON.stringify(args) };
}

function scriptOver(request: ModelRequest, number: number, left: number): SignalboxError {
  const last = request.messages.at(-1);
  const asked = last === undefined ? 'no message' : JSON.stringify(last).slice(0, 200);
  const open = left === 0 ? 'no line is left' : `none of the ${left} lines left is for it`;
  return new SignalboxError(
    'ScriptOver',
    `The scripted model has no reply to request ${number}: ${open}. It ends in ${asked}.`,
    {
      hint: 'Add a line to the script, or look why the model was asked once more.',
      details: { request: number, left, model: request.model },
    },
  );
}
