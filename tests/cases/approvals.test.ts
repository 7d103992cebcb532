import { emailChannel } from '@signalbox/delivery-email';
import { defineGraph } from 'signalbox';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { all, codeOf, createLab, STORES, until } from './testing/lab.ts';
import { openMailbox } from './testing/mailbox.ts';
import { openQuestionPage } from './testing/question-page.ts';

const METHODS = ['GET', 'HEAD', 'OPTIONS'];
const AGENTS = ['Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0', 'Slackbot-LinkExpanding 1.0'];

function payment() {
  const paid: string[] = [];
  const desk = defineGraph({ name: 'payment', input: z.object({}) });
  const graph = desk.build({
    entry: 'approve',
    nodes: {
      approve: desk.ask({ title: 'Pay 19.99 € for R-17?', gap: 'approval', assign: 'user:finn' }),
      pay: desk.step(ctx => ctx.run('pay', () => void paid.push(ctx.run.id), { once: true })),
    },
    routes: { approve: [{ to: 'pay', on: ['approve', 'edit'] }, { to: 'end' }] },
  });
  return { graph, paid };
}

describe.each(STORES)('on %s', store => {
  it('C37 opening an approval link decides nothing', async () => {
    const { graph, paid } = payment();
    const mailbox = await openMailbox();
    const lab = createLab(store);
    const box = lab.open({ graphs: [graph] });
    const page = await openQuestionPage(box);
    const channel = emailChannel({
      name: 'mail',
      smtp: { host: '127.0.0.1', port: mailbox.port, tls: 'none' },
      from: 'desk@example.com',
      recipients: { 'user:finn': 'finn@example.com' },
      link: `${page.origin}/requests/{request}`,
    });
    const mailing = lab.open({ graphs: [graph], channels: [channel] });
    const run = await mailing.start(graph, {});
    const [request] = (await run.settled()).requests;

    // One link, and in it nothing that could decide.
    const links = await until(async () => {
      const found = await mailbox.links();
      return found.length > 0 && found;
    });
    expect(links).toEqual([`${page.origin}/requests/${request!.id}`]);
    const before = await all(run.events());

    const cookie = `session=finn; token=${page.token}`;
    for (const method of METHODS)
      for (const agent of AGENTS)
        for (let time = 0; time < 5; time += 1) {
          const response = await fetch(links[0]!, { method, headers: { 'user-agent': agent, cookie } });
          expect(response.status).toBe(200);
          expect(await response.text()).toBe(method === 'HEAD' ? '' : 'Pay 19.99 € for R-17?');
        }
    // Nor does what a careless page would do with whoever only looks: answer without saying what.
    expect(await codeOf(box.answer(request!.id, { as: 'user:finn' }))).toBe('ActionRequired');
    expect((await all(run.events())).slice(before.length).map(event => event.type)).toEqual(['request.refused']);
    expect(await run.view()).toMatchObject({ status: 'suspended', requests: [{ id: request!.id }] });

    const post = (form: Record<string, string>) =>
      fetch(links[0]!, { method: 'POST', headers: { cookie }, body: new URLSearchParams(form) });
    expect((await post({ action: 'approve' })).status).toBe(403);
    expect((await post({ action: 'decline', token: page.token })).status).toBe(200);
    expect(await box.get(run.id).settled()).toMatchObject({ status: 'completed' });
    const answered = (await all(run.events())).filter(event => event.type === 'request.answered');
    expect(answered.map(event => event.data.action)).toEqual(['reject']);

    const end = await all(run.events());
    expect(await (await fetch(links[0]!)).text()).toBe('already decided');
    expect(await all(run.events())).toEqual(end);
    expect(await (await post({ action: 'approve', token: page.token })).text()).toBe('AlreadyAnswered');
    expect(paid).toEqual([]);
  });
});
