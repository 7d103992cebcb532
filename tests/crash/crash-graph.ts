import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { append, defineGraph, sum } from 'signalbox';
import { z } from 'zod';

/** How long a dead process counts as alive. */
export const LEASE_MS = 50;

/** A file outside the engine in which effects leave their mark: what is in it has happened, whoever died since. */
export interface Witness {
  mark(line: string): void;
  has(line: string): boolean;
}

export function openWitness(path: string): Witness {
  return {
    mark(line) {
      const file = openSync(path, 'a');
      writeSync(file, `${line}\n`);
      fsyncSync(file);
      closeSync(file);
    },
    has: line => marksIn(path).includes(line),
  };
}

export function marksIn(path: string): string[] {
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : [];
}

/** How often an effect of each name is done in one run when nothing goes wrong. */
export const REPEATED = ['prepare', 'left', 'right'] as const;
export const ONCE = ['pay', 'ship:0', 'ship:1', 'ship:2'] as const;

/** A bit of everything that can be interrupted: effects of both kinds, a question, a fork, timers, a map, state. */
export function crashGraph(witness: Witness) {
  const desk = defineGraph({
    name: 'crash',
    input: z.object({ ask: z.boolean() }),
    state: z.object({ total: sum(z.number()), trail: append(z.array(z.string())) }),
  });
  const repeat = (name: string) =>
    desk.step(async ctx => {
      await ctx.run(name, () => witness.mark(`repeat ${ctx.run.id} ${name}`));
      await ctx.sleep('rest', '3ms');
      ctx.update({ total: 1, trail: [name] });
    });
  return desk.build({
    entry: 'prepare',
    nodes: {
      prepare: repeat('prepare'),
      confirm: desk.ask({ kind: 'confirmation', title: 'Go on?' }),
      pay: desk.step(async ctx => {
        await ctx.run('pay', () => witness.mark(`once ${ctx.run.id} pay`), { once: true });
        ctx.update({ total: 10, trail: ['pay'] });
      }),
      left: repeat('left'),
      right: repeat('right'),
      joined: desk.join(),
      ship: desk.map({
        items: '[0, 1, 2]',
        concurrency: 2,
        body: desk.step(async ctx => {
          await ctx.run('ship', () => witness.mark(`once ${ctx.run.id} ship:${ctx.given}`), { once: true });
          ctx.update({ total: 100 });
          return ctx.given;
        }),
      }),
    },
    routes: {
      prepare: [{ to: 'confirm', when: 'input.ask' }, { to: 'pay' }],
      confirm: [{ to: 'pay' }],
      pay: [{ to: ['left', 'right'] }],
      left: [{ to: 'joined' }],
      right: [{ to: 'joined' }],
      joined: [{ to: 'ship' }],
    },
  });
}

/** What every finished run holds, however often it was interrupted. */
export const FINAL_STATE = { total: 313, trail: ['prepare', 'pay', 'left', 'right'] };
