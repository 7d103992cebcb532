import { defineGraph } from '@signalbox/core';
import { isSignalboxError } from '@signalbox/kernel';
import { type Testbox, testbox } from '@signalbox/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const graph = defineGraph({
  name: 'model',
  input: z.object({}),
  state: z.object({ broken: z.boolean().default(false) }),
});
const modelled = graph.build({
  entry: 'q',
  nodes: {
    q: graph.ask({ title: 'How many?', form: z.object({ x: z.number().max(9) }) }),
    w: graph.wait({ signal: 'go' }),
    work: graph.step(ctx => {
      if (ctx.state.broken) throw new Error('broken');
      return 'done';
    }),
  },
  routes: { q: [{ to: 'w' }], w: [{ to: 'work' }] },
});

/** What is known of a run, as small as can be. */
interface Model {
  /** Node that the run is at. */
  at: 'q' | 'w' | 'work';
  /** It has not begun there yet, because the run is paused. */
  pending: boolean;
  status: 'none' | 'suspended' | 'paused' | 'failed' | 'completed' | 'cancelled';
  signals: number;
  steps: number;
  broken: boolean;
}

const ENDED: readonly string[] = ['failed', 'completed', 'cancelled'];

/** Carries the run on as far as it goes; paused, one node for each step granted. */
function carryOn(model: Model): void {
  for (;;) {
    if (model.pending) {
      if (model.status === 'paused') {
        if (model.steps === 0) return;
        model.steps -= 1;
      }
      model.pending = false;
    }
    if (model.at === 'q') return;
    if (model.at === 'w') {
      if (model.signals === 0) return;
      model.signals -= 1;
      model.at = 'work';
      model.pending = true;
    } else {
      model.status = model.broken ? 'failed' : 'completed';
      return;
    }
  }
}

interface Real {
  box: Testbox;
  id: string;
}

/** What the sequences came to, so that a property of nothing does not pass. */
const reached = new Set<string>();

/** A command: what the model says comes of it, and how it is done. Undefined: accepted. */
class Act implements fc.AsyncCommand<Model, Real> {
  readonly #name: string;
  readonly #expect: (model: Model) => string | undefined;
  readonly #run: (real: Real) => Promise<unknown>;

  constructor(name: string, expected: (model: Model) => string | undefined, run: (real: Real) => Promise<unknown>) {
    this.#name = name;
    this.#expect = expected;
    this.#run = run;
  }

  check(): boolean {
    return true;
  }

  async run(model: Model, real: Real): Promise<void> {
    const expected = this.#expect(model);
    const refused = await this.#run(real).then(
      () => undefined,
      (error: unknown) => (isSignalboxError(error) ? error.code : String(error)),
    );
    expect({ act: this.#name, refused }).toEqual({ act: this.#name, refused: expected });
    await real.box.settle();
    if (model.status === 'none') return;
    const { status } = await real.box.get(real.id).view();
    expect({ act: this.#name, status }).toEqual({ act: this.#name, status: model.status });
    expect((await real.box.store.run(real.id))?.status).toBe(status);
    reached.add(`${this.#name} → ${status}`);
  }

  toString(): string {
    return this.#name;
  }
}

/** Accepted when the run stands in one of these; then the model changes. */
function when(statuses: readonly Model['status'][], change: (model: Model) => void) {
  return (model: Model): string | undefined => {
    if (model.status === 'none') return 'UnknownRun';
    if (!statuses.includes(model.status)) return 'WrongStatus';
    change(model);
    carryOnUnlessEnded(model);
    return undefined;
  };
}

function carryOnUnlessEnded(model: Model): void {
  if (!ENDED.includes(model.status)) carryOn(model);
}

const of = ({ box, id }: Real) => box.get(id);

const ACTS = [
  new Act(
    'start',
    model => {
      if (model.status === 'none') model.status = 'suspended';
      return undefined;
    },
    async real => {
      real.id = (await real.box.start(modelled, {}, { key: 'once' })).id;
    },
  ),
  new Act(
    'answer',
    model => {
      if (model.status === 'none') return 'UnknownRun';
      if (model.at !== 'q' || ENDED.includes(model.status)) return 'AmbiguousTarget';
      model.at = 'w';
      model.pending = true;
      carryOn(model);
      return undefined;
    },
    real => of(real).answer({ values: { x: 5 }, as: 'user:finn' }),
  ),
  new Act(
    'answer wrongly',
    model => {
      if (model.status === 'none') return 'UnknownRun';
      return model.at !== 'q' || ENDED.includes(model.status) ? 'AmbiguousTarget' : 'InvalidAnswer';
    },
    real => of(real).answer({ values: { x: 50 }, as: 'user:finn' }),
  ),
  new Act(
    'signal',
    when(['suspended', 'paused'], model => {
      model.signals += 1;
    }),
    real => of(real).signal('go'),
  ),
  new Act(
    'pause',
    when(['suspended'], model => {
      model.status = 'paused';
      model.steps = 0;
    }),
    real => of(real).pause(),
  ),
  new Act(
    'resume',
    when(['paused'], model => {
      model.status = 'suspended';
    }),
    real => of(real).resume(),
  ),
  new Act(
    'step',
    when(['paused'], model => {
      model.steps += 1;
    }),
    real => of(real).step(),
  ),
  new Act(
    'cancel',
    // Cancelled is final, and to cancel again is no error.
    when(['suspended', 'paused', 'cancelled'], model => {
      model.status = 'cancelled';
    }),
    real => of(real).cancel(),
  ),
  new Act(
    'retry',
    model => {
      if (model.status === 'none') return 'UnknownRun';
      if (model.status !== 'failed') return 'CannotRetry';
      model.status = 'suspended';
      model.pending = true;
      carryOn(model);
      return undefined;
    },
    real => of(real).retry(),
  ),
  ...[true, false].map(
    broken =>
      new Act(
        broken ? 'break' : 'mend',
        when(['suspended', 'paused', 'failed'], model => {
          model.broken = broken;
        }),
        real => of(real).edit({ broken }),
      ),
  ),
  new Act(
    'crash',
    () => undefined,
    async real => {
      real.box = await real.box.restart();
    },
  ),
];

describe('a run under any sequence of commands', () => {
  it('accepts and refuses, and stands, as a model of a page says, across crashes', async () => {
    const acts = ACTS.map(act => fc.constant(act));
    await fc.assert(
      fc.asyncProperty(fc.commands(acts, { size: '+1' }), async commands => {
        const real: Real = { box: testbox({ graphs: [modelled] }), id: 'run_none' };
        const setup = () => ({
          model: { at: 'q', pending: false, status: 'none', signals: 0, steps: 0, broken: false } as Model,
          real,
        });
        await fc.asyncModelRun(setup, commands);
        expect(real.box.errors).toEqual([]);
        await real.box.close();
      }),
      { numRuns: 300 },
    );
    for (const far of [
      'signal → completed',
      'signal → failed',
      'retry → completed',
      'step → paused',
      'resume → completed',
      'cancel → cancelled',
    ])
      expect(reached).toContain(far);
  }, 120_000);
});
