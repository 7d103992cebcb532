import type { ModelPort, ModelReply, ModelRequest, ModelUsage } from '@signalbox/ports';

/** What the service behind a model is to do with the next request. */
export type ModelTurn =
  | {
      readonly kind: 'reply';
      readonly text?: string;
      readonly calls?: ModelReply['calls'];
      readonly finish?: 'length' | 'refused';
      readonly usage?: ModelUsage;
    }
  /** It takes no more requests for now; may be tried again. */
  | { readonly kind: 'rateLimited' }
  /** It is overloaded; may be tried again. */
  | { readonly kind: 'overloaded' }
  /** It finds fault with the request, in a way that nothing can be changed about. */
  | { readonly kind: 'refusal' }
  /** A reply of this text begins, and the connection is gone in the middle of it. */
  | { readonly kind: 'cut'; readonly text: string }
  /** Nothing comes at all. */
  | { readonly kind: 'silence' };

/** A model whose service the suite holds in its hand. Waits before another attempt take next to no time. */
export interface ModelFixture {
  readonly model: ModelPort;
  /** What `request.model` is to be. */
  readonly name: string;
  /** What comes next, one turn for each request that reaches the service. */
  script(...turns: readonly ModelTurn[]): void;
  /** Requests that reached the service, each as JSON text. */
  sent(): readonly string[];
  dispose?(): void | Promise<void>;
}

export type ModelFactory = () => ModelFixture | Promise<ModelFixture>;

/** What a check works on. */
export interface ModelWorld extends ModelFixture {
  /** Calls the model; `text` is what the user says, by default "Hello". */
  call(request?: Partial<ModelRequest>): Promise<ModelReply>;
  /** The same, with all that went to `onText`. */
  told(request?: Partial<ModelRequest>): Promise<{ readonly reply: ModelReply; readonly deltas: readonly string[] }>;
}

export interface ModelCheck {
  readonly name: string;
  readonly body: (world: ModelWorld) => Promise<void>;
}

export function check(name: string, body: ModelCheck['body']): ModelCheck {
  return { name, body };
}

export function createModelWorld(fixture: ModelFixture): ModelWorld {
  const ask = (request: Partial<ModelRequest>): ModelRequest => ({
    model: fixture.name,
    messages: [{ role: 'user', text: 'Hello' }],
    ...request,
  });
  return {
    ...fixture,
    sent: () => fixture.sent(),
    call: (request = {}) => fixture.model.call(ask(request), { signal: new AbortController().signal }),
    async told(request = {}) {
      const deltas: string[] = [];
      const reply = await fixture.model.call(ask(request), {
        signal: new AbortController().signal,
        onText: delta => void deltas.push(delta),
      });
      return { reply, deltas };
    },
  };
}
