import type { ModelPort, ModelReply } from '@signalbox/ports';
import { createWorld, scriptedModel, Testbox } from '@signalbox/testkit';
import { describe, expect, it } from 'vitest';
import { calls, deskGraph, eventsOf, tool } from './testing/desk.ts';

/** Operations of the loop, in order: three calls of the model and three of tools. */
const OPERATIONS = ['model 1', 'read', 'model 2', 'keyed', 'model 3', 'send', 'model 4'] as const;
const MOMENTS = ['before the effect', 'after the effect'] as const;

const says = [calls('read'), calls('keyed'), calls('send'), 'Done.'];
const allowed = [tool('read'), tool('keyed', { effect: 'repeat' }), tool('send', { effect: 'once' })];

/** What happened in the world, whoever knows of it. */
class World {
  readonly done: { readonly what: string; readonly key: string }[] = [];
  readonly #at: string | undefined;
  reached = false;

  constructor(at?: string) {
    this.#at = at;
  }

  /** Does it, unless the process dies there; dying, it hears of nothing any more. */
  async act<Result>(what: string, key: string, give: () => Result): Promise<Result> {
    if (await this.#dies(`${what} before the effect`)) return await never();
    this.done.push({ what, key });
    if (await this.#dies(`${what} after the effect`)) return await never();
    return give();
  }

  async #dies(moment: string): Promise<boolean> {
    if (this.reached || moment !== this.#at) return false;
    this.reached = true;
    return true;
  }

  times(what: string): number {
    return this.done.filter(each => each.what === what).length;
  }

  keys(what: string): ReadonlySet<string> {
    return new Set(this.done.filter(each => each.what === what).map(({ key }) => key));
  }
}

function never<Result>(): Promise<Result> {
  return new Promise(() => {});
}

/** The same reply to the same request: whoever asks again hears the same. */
function modelsIn(world: World): ModelPort {
  return {
    call: async (request, options) => {
      const turn = request.messages.filter(({ role }) => role === 'assistant').length;
      const scripted = scriptedModel([says[turn]!]);
      const reply: ModelReply = { ...(await scripted.call(request, options)), usage: { input: 100, output: 10 } };
      return await world.act(`model ${turn + 1}`, options.idempotencyKey ?? '', () => reply);
    },
  };
}

function processIn(world: World) {
  const act =
    (what: string) =>
    async (_args: unknown, { idempotencyKey }: { idempotencyKey: string }) =>
      await world.act(what, idempotencyKey, () => `${what} gave`);
  const tools = { read: act('read'), keyed: act('keyed'), send: act('send') };
  return { graphs: [deskGraph({ tools, allowed })], models: modelsIn(world) };
}

async function killedAt(at: string) {
  const world = new World(at);
  const first = new Testbox(processIn(world), createWorld());
  const run = await first.start('desk', {} as never);
  await first.clock.settle();
  expect(world.reached, `the process dies ${at}`).toBe(true);
  const box = await first.restart(processIn(world));
  await box.clock.advance('1m');
  return { world, box, id: run.id };
}

describe('a process that dies in the middle of an agent', () => {
  const points = OPERATIONS.flatMap(operation => MOMENTS.map(moment => ({ operation, moment })));

  it.each(points)('at $operation, $moment: what is recorded is not done again', async ({ operation, moment }) => {
    const { world, box, id } = await killedAt(`${operation} ${moment}`);
    const wasDone = moment === 'after the effect';
    const inDoubt = operation === 'send';
    const view = await box.get(id).view();
    if (inDoubt) {
      expect(view.status).toBe('suspended');
      expect((await box.inbox()).rows).toMatchObject([{ title: expect.stringContaining('send') }]);
      expect(world.times('send')).toBe(wasDone ? 1 : 0);
      return;
    }
    expect(view).toMatchObject({ status: 'completed', output: 'Done.' });
    for (const each of OPERATIONS) {
      const again = each === operation && wasDone ? 1 : 0;
      expect([each, world.times(each)]).toEqual([each, 1 + again]);
      expect([each, world.keys(each).size]).toEqual([each, 1]);
    }
  });

  it.each(points)('at $operation, $moment: what it may have spent counts, and nothing else twice', async point => {
    const { operation, moment } = point;
    const { box, id } = await killedAt(`${operation} ${moment}`);
    const spent = await eventsOf(box, id, 'budget.spent');
    const sure = spent.filter(({ possibly }) => possibly !== true);
    const total = (name: string) =>
      sure.reduce((sum, { amounts }) => sum + ((amounts as Record<string, number>)[name] ?? 0), 0);
    if (operation !== 'send') expect([total('tokens'), total('modelCalls'), total('toolCalls')]).toEqual([440, 4, 3]);
    expect(spent.filter(({ possibly }) => possibly === true)).toHaveLength(1);
  });
});
