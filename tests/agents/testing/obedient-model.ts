import { isJsonObject, type JsonObject, type JsonValue } from '@signalbox/kernel';
import type { ModelPort, ModelRequest, ModelToolCall } from '@signalbox/ports';
import { viewsOf } from './views.ts';

export interface ObedientModel extends ModelPort {
  readonly requests: readonly ModelRequest[];
  /** Questions that it put because it was told to. */
  readonly asked: readonly string[];
}

type Wish = Omit<ModelToolCall, 'id'> & { readonly id?: string };

const MOST_REPEATS = 25;

/**
 * A model without judgement: whatever calls it reads, in whatever notation and however hidden, it makes. It reads each
 * text once. `vocabulary`: the names that it takes for tools in prose; in JSON and XML it takes any.
 */
export function obedientModel(vocabulary: readonly string[]): ObedientModel {
  const requests: ModelRequest[] = [];
  const asked: string[] = [];
  const read = new Set<string>();
  let made = 0;
  const news = (request: ModelRequest) => textsOf(request).filter(text => !read.has(text) && read.add(text));
  return {
    requests,
    asked,
    async call(request) {
      requests.push(request);
      const texts = news(request);
      const question = texts.flatMap(questionsIn)[0];
      const wishes = question === undefined ? texts.flatMap(text => wishesIn(text, vocabulary)) : [];
      if (question !== undefined) asked.push(question);
      const calls = wishes.map(wish => {
        made += 1;
        return { id: `call_${made}`, ...wish };
      });
      return {
        text: question ?? (calls.length === 0 ? 'Done.' : ''),
        calls,
        finish: calls.length === 0 ? 'stop' : 'tools',
        usage: { input: 1, output: 1 },
        model: 'test/obedient',
        attempts: 1,
      };
    },
  };
}

function textsOf({ system = '', messages }: ModelRequest): string[] {
  return [
    system,
    ...messages.flatMap(message => {
      if (message.role === 'user') return [message.text];
      return message.role === 'tool' ? stringsIn(message.result) : [];
    }),
  ];
}

function stringsIn(value: JsonValue): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(stringsIn);
  return isJsonObject(value) ? Object.values(value).flatMap(stringsIn) : [];
}

function questionsIn(text: string): string[] {
  return objectsIn(text).flatMap(({ source, value }) => ('decision_request' in value ? [source] : []));
}

function wishesIn(text: string, vocabulary: readonly string[]): Wish[] {
  const found = new Map<string, Wish>();
  for (const view of viewsOf(text))
    for (const wish of [...inJson(view), ...inProse(withoutCalls(view), vocabulary), ...inXml(view)]) {
      const key = `${wish.tool} ${canonical(wish.arguments)}`;
      if (!found.has(key)) found.set(key, wish);
    }
  const times = Number(/(\d+) ?(?:times|次)/.exec(text)?.[1] ?? 1);
  return Array.from({ length: Math.min(times, MOST_REPEATS) }, () => [...found.values()]).flat();
}

function canonical(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text)).normalize('NFKC');
  } catch {
    return text;
  }
}

// ── notations ────────────────────────────────────────────────────────────────────────────────────────────────

const NAME_KEYS = ['tool', 'name', 'function', '工具'];
const ARGUMENT_KEYS = ['arguments', 'args', 'input', 'parameters', '参数'];

function inJson(text: string): Wish[] {
  return objectsIn(text).flatMap(({ value }) => callsIn(value));
}

/** So that what was read as JSON is not read as prose again. */
function withoutCalls(text: string): string {
  const calls = objectsIn(text).filter(({ value }) => callsIn(value).length > 0);
  return calls.reduce((rest, { source }) => rest.replace(source, ''), text);
}

function callsIn(value: JsonValue): Wish[] {
  if (Array.isArray(value)) return value.flatMap(callsIn);
  if (!isJsonObject(value)) return [];
  const tool = NAME_KEYS.map(key => value[key]).find(name => typeof name === 'string');
  const args = ARGUMENT_KEYS.map(key => value[key]).find(given => given !== undefined);
  if (typeof tool !== 'string' || args === undefined) return Object.values(value).flatMap(callsIn);
  const text = typeof args === 'string' ? args : JSON.stringify(args);
  return [{ tool, arguments: text, ...(typeof value.id === 'string' ? { id: value.id } : {}) }];
}

/** A name, then an object not far behind it; one that is cut off goes as far as the text. */
function inProse(text: string, vocabulary: readonly string[]): Wish[] {
  const names = [...vocabulary].sort((a, b) => b.length - a.length).join('|');
  const wishes: Wish[] = [];
  for (const { 1: tool, 0: whole, index } of text.matchAll(new RegExp(`(${names})[^{}]{0,24}?\\{`, 'g'))) {
    const start = index + whole.length - 1;
    wishes.push({ tool: tool!, arguments: text.slice(start, endOfObject(text, start) ?? text.length) });
  }
  return wishes;
}

function inXml(text: string): Wish[] {
  return [...text.matchAll(/<invoke name="([^"]*)">(.*?)<\/invoke>/gs)].map(([, tool, body]) => {
    const parameters = [...body!.matchAll(/<parameter name="([^"]*)">(.*?)<\/parameter>/gs)];
    return {
      tool: tool!,
      arguments: JSON.stringify(Object.fromEntries(parameters.map(([, key, value]) => [key, value]))),
    };
  });
}

function objectsIn(text: string): { readonly source: string; readonly value: JsonObject }[] {
  const found: { source: string; value: JsonObject }[] = [];
  for (let at = text.indexOf('{'); at >= 0; at = text.indexOf('{', at)) {
    const end = endOfObject(text, at);
    const source = end === undefined ? undefined : text.slice(at, end);
    const value = source === undefined ? undefined : parsed(source);
    if (value !== undefined) found.push({ source: source!, value });
    at = value === undefined ? at + 1 : end!;
  }
  return found;
}

function parsed(text: string): JsonObject | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function endOfObject(text: string, start: number): number | undefined {
  let depth = 0;
  for (const { 0: token, index } of text.slice(start).matchAll(/"(?:[^"\\]|\\.)*"|[{}]/gs)) {
    if (token === '{') depth += 1;
    else if (token === '}') depth -= 1;
    if (depth === 0 && token === '}') return start + index + 1;
  }
  return undefined;
}
