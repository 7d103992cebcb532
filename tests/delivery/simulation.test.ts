import { createWorld, Testbox } from '@signalbox/testkit';
import fc from 'fast-check';
import { type DeliveryChannel, type DeliveryMessage, defineGraph } from 'signalbox';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const builder = defineGraph({ name: 'asking', input: z.object({}) });
const ask = builder.ask({ title: 'Go on?', kind: 'confirmation' });
const asking = builder.build({ entry: 'ask', nodes: { ask }, routes: {} });

type Move =
  /** One of the two processes asks, or answers the oldest open question. */
  | { readonly kind: 'ask' | 'answer' | 'crash' | 'stop'; readonly process: 0 | 1 }
  /** How the receiver answers from now on. */
  | { readonly kind: 'receiver'; readonly answers: 'takes' | 'fails' | 'is silent' }
  | { readonly kind: 'advance'; readonly by: string };

const move: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('ask' as const), process: fc.constantFrom(0 as const, 1 as const) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom('answer' as const, 'crash' as const, 'stop' as const),
      process: fc.constantFrom(0 as const, 1 as const),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('receiver' as const),
      answers: fc.constantFrom('takes' as const, 'fails' as const, 'is silent' as const),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('advance' as const),
      by: fc.constantFrom('1s', '7s', '20s', '10m', '1d'),
    }),
  },
);

/** Two processes with one channel, and the receiver's side of it. */
class Scene {
  readonly arrived: DeliveryMessage[] = [];
  readonly taken = new Set<string>();
  receiver: 'takes' | 'fails' | 'is silent' = 'takes';
  readonly world = createWorld({ chain: true });
  readonly boxes: [Testbox, Testbox];
  /** Events that are stored, in order: `request type`. */
  readonly expected: string[] = [];
  readonly #open: string[] = [];

  constructor() {
    this.boxes = [this.#box(), this.#box()];
  }

  #channel(): DeliveryChannel {
    return {
      name: 'desk',
      // So that nothing is ever given up here.
      schedule: Array.from({ length: 2_000 }, () => '1h'),
      deliver: async message => {
        this.arrived.push(message);
        if (this.receiver === 'fails') return { status: 'failed', error: 'no' };
        this.taken.add(`${message.request.id} ${message.type}`);
        // It took the message, and its word for it is lost.
        return this.receiver === 'is silent' ? await new Promise(() => {}) : { status: 'delivered' };
      },
    };
  }

  #box(): Testbox {
    return new Testbox({ graphs: [asking], channels: [this.#channel()] }, this.world);
  }

  async make(step: Move): Promise<void> {
    if (step.kind === 'receiver') this.receiver = step.answers;
    else if (step.kind === 'advance') await this.world.clock.advance(step.by);
    else await this.#act(step.kind, step.process);
    await this.world.clock.settle();
  }

  async #act(kind: 'ask' | 'answer' | 'crash' | 'stop', process: 0 | 1): Promise<void> {
    const box = this.boxes[process];
    if (kind === 'crash' || kind === 'stop') {
      this.boxes[process] = await box.restart({ channels: [this.#channel()], clean: kind === 'stop' });
      await this.boxes[process].ready();
    } else if (kind === 'ask') {
      const view = await (await box.start(asking, {})).settled();
      const id = view.status === 'suspended' ? view.requests[0]!.id : '';
      this.#open.push(id);
      this.expected.push(`${id} request.opened`);
    } else {
      const id = this.#open.shift();
      if (id === undefined) return;
      await box.answer(id, { action: 'approve', as: 'user:finn' });
      this.expected.push(`${id} request.answered`);
    }
  }
}

/** Of each id there is one content; of one request nothing is new after something later was told. */
function judge(arrived: readonly DeliveryMessage[]): void {
  const contents = new Map<string, string>();
  for (const message of arrived) {
    const content = JSON.stringify(message);
    expect(contents.get(message.id) ?? content).toBe(content);
    contents.set(message.id, content);
  }
  const answered = new Set<string>();
  const opened = new Set<string>();
  for (const { type, request } of arrived) {
    if (type === 'request.answered') {
      expect(opened.has(request.id)).toBe(true);
      answered.add(request.id);
    } else opened.add(request.id);
  }
}

describe('two processes with one channel', () => {
  it('tell everything that is stored, in the order of each request, whatever dies, stops or fails in between', {
    timeout: 240_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(move, { minLength: 5, maxLength: 30 }), async moves => {
        const scene = new Scene();
        for (const box of scene.boxes) await box.ready();
        for (const step of moves) await scene.make(step);
        await scene.make({ kind: 'receiver', answers: 'takes' });
        for (let hours = 0; hours < 10; hours += 2) await scene.make({ kind: 'advance', by: '2h' });
        expect(scene.expected.filter(fact => !scene.taken.has(fact))).toEqual([]);
        judge(scene.arrived);
        expect(await scene.boxes[0].deliveries.list()).toEqual([]);
        expect(scene.boxes.flatMap(box => box.errors)).toEqual([]);
      }),
      { numRuns: 150, seed: 20_260_101 },
    );
  });
});
