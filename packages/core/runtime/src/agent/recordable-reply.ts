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
    calls: reply.calls.map(({ id, tool, arguments: args }) => ({
      id: recordable(id),
      tool: recordable(tool),
      arguments: recordable(args),
    })),
  };
}

function recordable(text: string): string {
  return text.replace(UNRECORDABLE, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
