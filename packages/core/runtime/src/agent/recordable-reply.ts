import type { ToolCall } from '@signalbox/kernel';
import type { ModelReply } from '@signalbox/ports';

/** What no text of a log may hold: NUL, and halves of surrogate pairs. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: NUL is what is looked for.
const UNRECORDABLE = /\u0000|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/**
 * A reply as it can be recorded: what a log cannot hold stands in it as JSON escapes it. So it is seen, names no tool,
 * and makes arguments unreadable, where they hold it; it never becomes another character.
 */
export function recordableReply(reply: ModelReply): ModelReply {
  return {
    ...reply,
    text: recordable(reply.text),
    model: recordable(reply.model),
    calls: distinct(
      reply.calls.map(({ id, tool, arguments: args }) => ({
        id: recordable(id),
        tool: recordable(tool),
        arguments: recordable(args),
      })),
    ),
  };
}

/**
 * One call said twice, with its id, is one call. Another one under an id that is taken gets one of its own: the model is
 * told of each by its id, and providers refuse a conversation in which two have the same.
 */
function distinct(calls: readonly ToolCall[]): ToolCall[] {
  const byId = new Map<string, ToolCall>();
  for (const call of calls) {
    let { id } = call;
    for (let n = 2; byId.has(id) && !isSame(byId.get(id)!, call); n += 1) id = `${call.id}~${n}`;
    if (!byId.has(id)) byId.set(id, { ...call, id });
  }
  return [...byId.values()];
}

function isSame(a: ToolCall, b: ToolCall): boolean {
  return a.tool === b.tool && a.arguments === b.arguments;
}

function recordable(text: string): string {
  return text.replace(UNRECORDABLE, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
