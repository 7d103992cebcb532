import type { ModelReply, ModelRequest } from '@signalbox/ports';

/** What both OpenAI and Anthropic take as the name of a tool. */
const REFUSED_CHARACTER = /[^a-zA-Z0-9_-]/gu;
const MOST_CHARACTERS = 64;

/**
 * The names of the tools of a request as providers take them, one for each: a contract may call a tool `crm.look_up`.
 * The same request gives the same names.
 */
export class ToolNames {
  readonly #sent = new Map<string, string>();
  readonly #own = new Map<string, string>();

  constructor({ tools = [], messages }: ModelRequest) {
    const said = messages.flatMap(message => {
      if (message.role === 'tool') return [message.tool];
      return message.role === 'assistant' ? (message.calls ?? []).map(({ tool }) => tool) : [];
    });
    const names = new Set([...tools.map(({ name }) => name), ...said]);
    // A name that can be sent as it is stays, whoever comes before it.
    for (const name of names) if (isSendable(name)) this.#add(name, name);
    for (const name of names) if (!isSendable(name)) this.#add(name, this.#free(name));
  }

  #free(name: string): string {
    const base = name.replace(REFUSED_CHARACTER, '_').slice(0, MOST_CHARACTERS) || '_';
    for (let count = 1; ; count += 1) {
      const suffix = count === 1 ? '' : `_${count}`;
      const candidate = base.slice(0, MOST_CHARACTERS - suffix.length) + suffix;
      if (!this.#own.has(candidate)) return candidate;
    }
  }

  #add(name: string, sent: string): void {
    this.#sent.set(name, sent);
    this.#own.set(sent, name);
  }

  sent(request: ModelRequest): ModelRequest {
    const { tools, messages } = request;
    const nameOf = (tool: string) => this.#sent.get(tool)!;
    return {
      ...request,
      ...(tools && { tools: tools.map(tool => ({ ...tool, name: nameOf(tool.name) })) }),
      messages: messages.map(message => {
        if (message.role === 'tool') return { ...message, tool: nameOf(message.tool) };
        if (message.role !== 'assistant' || message.calls === undefined) return message;
        return { ...message, calls: message.calls.map(call => ({ ...call, tool: nameOf(call.tool) })) };
      }),
    };
  }

  /** The name that was meant; of a tool that nobody sent the model's own word. */
  own(tool: string): string {
    return this.#own.get(tool) ?? tool;
  }

  received<Reply extends Pick<ModelReply, 'calls'>>(reply: Reply): Reply {
    return { ...reply, calls: reply.calls.map(call => ({ ...call, tool: this.own(call.tool) })) };
  }
}

function isSendable(name: string): boolean {
  return name !== '' && name.length <= MOST_CHARACTERS && name.search(REFUSED_CHARACTER) === -1;
}
