/** Graphs of the cases in which real processes take part. Effects leave a line in a file that outlives every process. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { defineGraph } from 'signalbox';
import { z } from 'zod';

export function linesOf(file: string): string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
}

export interface ShopOptions {
  readonly witness: string;
  /** Where the process kills itself. */
  readonly killAt?: string;
  /** Ms that the slow step takes. */
  readonly slow?: number;
}

export function shop({ witness, killAt, slow = 0 }: ShopOptions) {
  const leave = (line: string) => appendFileSync(witness, `${line}\n`);
  const dieAt = (point: string) => {
    if (point === killAt) process.kill(process.pid, 'SIGKILL');
  };

  const approval = defineGraph({ name: 'approval', input: z.object({}) });
  const charge = approval.build({
    entry: 'ask',
    nodes: {
      ask: approval.ask({ title: 'Charge?', form: z.object({ approve: z.boolean() }) }),
      charge: approval.step(ctx => ctx.run('charge_card', () => leave(`charge ${ctx.run.id}`), { once: true })),
      declined: approval.transform({}),
    },
    routes: { ask: [{ to: 'charge', when: 'output.values.approve' }, { to: 'declined' }] },
  });

  const three = defineGraph({ name: 'three', input: z.object({ n: z.number() }) });
  const short = three.build({
    entry: 'a',
    nodes: {
      a: three.step(ctx => ctx.input.n),
      b: three.transform({ output: { n: 'output' } }),
      c: three.step(ctx => ctx.given),
    },
    routes: { a: [{ to: 'b' }], b: [{ to: 'c' }] },
  });

  const book = (name: string, once: readonly string[]) => {
    const desk = defineGraph({ name, input: z.object({ n: z.number() }) });
    const step = (name: string) =>
      desk.step(async ctx => {
        dieAt(`after start of ${name}`);
        await ctx.run(
          'add',
          ({ idempotencyKey }) => {
            dieAt(`before effect of ${name}`);
            leave(`${name} ${idempotencyKey}`);
            dieAt(`after effect of ${name}`);
          },
          { once: once.includes(name) },
        );
        dieAt(`before end of ${name}`);
      });
    return desk.build({
      entry: 's1',
      nodes: { s1: step('s1'), s2: step('s2'), s3: step('s3') },
      routes: { s1: [{ to: 's2' }], s2: [{ to: 's3' }] },
    });
  };

  const slowly = (name: string) => {
    const desk = defineGraph({ name, input: z.object({ n: z.number() }) });
    return desk.build({
      entry: 'slow',
      nodes: {
        slow: desk.step(async ctx => {
          await ctx.run('work', () => new Promise<void>(resolve => setTimeout(resolve, slow)));
          return ctx.input.n;
        }),
      },
      routes: {},
    });
  };

  return {
    charge,
    short,
    ledger: book('ledger', []),
    texts: book('texts', ['s2']),
    charges: book('charges', ['s1', 's2', 's3']),
    x: slowly('x'),
    y: slowly('y'),
  };
}
