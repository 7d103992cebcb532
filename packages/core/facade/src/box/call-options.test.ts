import { testbox } from '@signalbox/testkit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineGraph } from '../builder/define-graph.ts';

const builder = defineGraph({ name: 'asks', input: z.object({}) });
const ask = builder.ask({ kind: 'confirmation', title: 'Well?' });
const graph = builder.build({ entry: 'ask', nodes: { ask }, routes: {} });

async function open() {
  const box = testbox({ graphs: [graph] });
  const run = await box.start(graph, {});
  const { requests } = await run.settled();
  return { box, run, request: requests[0]!.id, session: await box.sessions.open() };
}

/** What each call makes of options, given as a program without types gives them. */
const CALLS: Readonly<Record<string, (opened: Awaited<ReturnType<typeof open>>, given: never) => unknown>> = {
  'box.start': ({ box }, given) => box.start(graph, {}, given),
  'box.answer': ({ box, request }, given) => box.answer(request, given),
  'box.claim': ({ box, request }, given) => box.claim(request, given),
  'box.release': ({ box, request }, given) => box.release(request, given),
  'box.withdraw': ({ box, request }, given) => box.withdraw(request, given),
  'box.inbox': ({ box }, given) => box.inbox(given),
  'box.runs': ({ box }, given) => box.runs(given),
  'box.feed': ({ box }, given) => box.feed(given),
  'box.memory': ({ box }, given) => box.memory(given),
  'box.session': ({ box }, given) => box.session('ses_1', given),
  'box.sessions.open': ({ box }, given) => box.sessions.open(given),
  'box.sessions.list': ({ box }, given) => box.sessions.list(given),
  'box.deliveries.list': ({ box }, given) => box.deliveries.list(given),
  'box.deliveries': ({ box }, given) => box.deliveries.retry(given),
  'box.onRequest': ({ box }, given) => box.onRequest('desk', () => {}, given),
  'session.send': ({ session }, given) => session.send(graph, {}, given),
  'session.runs': ({ session }, given) => session.runs(given),
  'session.messages': ({ session }, given) => session.messages(given),
  'run.state': ({ run }, given) => run.state(given),
  'run.node': ({ run }, given) => run.node('ask', given),
  'run.events': ({ run }, given) => run.events(given).next(),
  'run.stream': ({ run }, given) => run.stream(given).next(),
  'run.answer': ({ run }, given) => run.answer(given),
  'run.signal': ({ run }, given) => run.signal('go', 1, given),
  'run.pause': ({ run }, given) => run.pause(given),
  'run.resume': ({ run }, given) => run.resume(given),
  'run.step': ({ run }, given) => run.step(given),
  'run.retry': ({ run }, given) => run.retry(given),
  'run.edit': ({ run }, given) => run.edit({}, given),
  'run.jump': ({ run }, given) => run.jump('ask', given),
  'run.cancel': ({ run }, given) => run.cancel(given),
  'run.reopen': ({ run }, given) => run.reopen(given),
  'run.note': ({ run }, given) => run.note('well', given),
  'run.migrate': ({ run }, given) => run.migrate('v', given),
  'run.fork': ({ run }, given) => run.fork(given),
  'run.rollback': ({ run }, given) => run.rollback(1, given),
  'run.erase': ({ run }, given) => run.erase('sha256:0', given),
};

async function refusal(call: () => unknown): Promise<unknown> {
  try {
    await call();
    return undefined;
  } catch (error) {
    return error;
  }
}

describe('the options of a call', () => {
  it.each(Object.keys(CALLS))('%s: what is no object, and what there is not, is refused by name', async of => {
    const opened = await open();
    for (const given of [null, 'key-1', 5, [], { nonsense: 1 }])
      expect(await refusal(() => CALLS[of]!(opened, given as never)), JSON.stringify(given)).toMatchObject({
        code: 'InvalidOptions',
        details: { of },
      });
    expect(await opened.run.view()).toMatchObject({ status: 'suspended', requests: [{ id: opened.request }] });
  });

  it.each([
    ['key', 5],
    ['session', {}],
    ['requestId', null],
    ['label', ['active']],
    ['decisions', 'never'],
    ['tenant', ''],
    ['parent', 7],
  ])('of a start: %s = %j is refused, and nothing is started', async (option, value) => {
    const { box } = await open();
    const error = await refusal(() => box.start(graph, {}, { [option]: value }));
    expect(error).toMatchObject({ code: 'InvalidOptions', details: { of: 'box.start', option } });
    expect((await box.runs()).rows).toHaveLength(1);
  });

  it('what is started is a graph that was built, or the name of one', async () => {
    const { box, session } = await open();
    for (const given of [undefined, null, 5, {}, builder, ''])
      for (const call of [() => box.start(given as never, {}), () => session.send(given as never, 'Hello.')])
        expect(await refusal(call)).toMatchObject({ code: 'InvalidOptions', details: { option: 'graph' } });
    expect(await refusal(() => box.start('other', {}))).toMatchObject({ code: 'UnknownGraph' });
  });

  it('who listens is a function', async () => {
    const { box } = await open();
    for (const given of [undefined, null, 'desk', {}])
      expect(await refusal(() => box.onRequest('desk', given as never))).toMatchObject({ code: 'InvalidOptions' });
  });
});
