import { once } from 'node:events';
import { createServer } from 'node:net';
import type { DeliveryMessage, DeliveryOutcome } from '@signalbox/ports';
import PostalMime from 'postal-mime';
import type { SMTPServerOptions } from 'smtp-server';
import { afterEach, describe, expect, it } from 'vitest';
import { type EmailOptions, emailChannel } from './email-channel.ts';
import { type MailServer, startMailServer } from './testing/mail-server.ts';

const servers: MailServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map(server => server.close()));
});

async function mailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const started = await startMailServer(options);
  servers.push(started);
  return started;
}

function messageWith(
  request: Partial<DeliveryMessage['request']> = {},
  rest: Partial<DeliveryMessage> = {},
): DeliveryMessage {
  return {
    id: 'msg_run_1_7',
    type: 'request.opened',
    at: '2026-01-01T00:00:00.000Z',
    tenant: 'default',
    run: { id: 'run_1', graph: 'refund' },
    ...rest,
    request: {
      id: 'req_1',
      kind: 'form',
      title: 'How much do we refund?',
      message: 'Order R-17 was charged twice.',
      purpose: 'The amount is paid back.',
      fields: [
        { name: 'amount', type: 'number', label: 'Amount', required: true, unit: 'EUR' },
        {
          name: 'how',
          type: 'select',
          label: 'How',
          required: false,
          options: [{ value: 'card', label: 'To the card' }],
        },
      ],
      proposal: { values: { amount: 20, how: 'card' } },
      assignees: ['role:finance'],
      openedAt: '2026-01-01T00:00:00.000Z',
      deadline: '2026-01-01T02:00:00.000Z',
      node: 'review',
      ...request,
    },
  };
}

function channel(port: number, options: Partial<EmailOptions> = {}) {
  return emailChannel({
    name: 'mail',
    smtp: { host: '127.0.0.1', port, tls: 'none' },
    from: 'desk@example.com',
    recipients: { 'role:finance': ['finn@example.com', 'ana@example.com'], 'user:eve': 'eve@example.com' },
    link: 'https://desk.example.com/requests/{request}',
    ...options,
  });
}

const open = { number: 1, signal: new AbortController().signal, requestStatus: 'open' } as const;

async function sent(message: DeliveryMessage, options: Partial<EmailOptions> = {}) {
  const server = await mailServer();
  const outcome = await channel(server.port, options).deliver(message, open);
  const [mail] = server.mails;
  return { outcome, mail: mail!, parsed: await PostalMime.parse(mail?.raw ?? '') };
}

describe('a mail', () => {
  it('goes to those who are asked, and says what is asked in plain text and in HTML', async () => {
    const { outcome, mail, parsed } = await sent(messageWith());
    expect(outcome).toEqual({ status: 'delivered' });
    expect(mail).toMatchObject({ from: 'desk@example.com', to: ['finn@example.com', 'ana@example.com'] });
    expect(parsed.subject).toBe('Your decision is needed: How much do we refund?');
    for (const body of [parsed.text, parsed.html])
      for (const part of [
        'How much do we refund?',
        'Order R-17 was charged twice.',
        'The amount is paid back.',
        'Amount: 20 EUR',
        'How: To the card',
        '2026-01-01 02:00 UTC',
        'https://desk.example.com/requests/req_1',
        'Opening the link decides nothing.',
      ])
        expect(body).toContain(part);
  });

  it('can be in Chinese', async () => {
    const { parsed } = await sent(messageWith({ title: '退款多少？' }), { language: () => 'zh' });
    expect(parsed.subject).toBe('需要您的决定：退款多少？');
    expect(parsed.text).toContain('打开链接不会作出任何决定。');
    expect(parsed.html).toContain('> 退款多少？'.slice(2));
  });

  it('has one link, which names the request and nothing that could decide it', async () => {
    const { parsed } = await sent(messageWith({ id: 'req/1?action=approve' }));
    const hrefs = [...(parsed.html ?? '').matchAll(/href="([^"]*)"/g)].map(([, href]) => href);
    expect(hrefs).toEqual(['https://desk.example.com/requests/req%2F1%3Faction%3Dapprove']);
    expect(parsed.html).not.toMatch(/<form|<img|<script|mailto:/);
    expect(parsed.text?.match(/https?:/g)).toHaveLength(1);
  });

  it('takes nothing of a request for markup', async () => {
    const evil = `<img src=x onerror="alert(1)"> <a href='https://evil.example'>"Approve" & win</a>`;
    const { parsed } = await sent(
      messageWith({
        title: evil,
        message: evil,
        summary: evil,
        purpose: evil,
        assignees: ['role:finance', evil],
        fields: [{ name: 'a', type: 'text', label: evil, description: evil, required: true }],
        proposal: { values: { a: evil, [evil]: evil } },
      }),
    );
    const tags = new Set([...(parsed.html ?? '').matchAll(/<\/?([a-z]+)/gi)].map(([, tag]) => tag));
    expect([...tags].sort()).toEqual(['a', 'blockquote', 'br', 'p']);
    expect(parsed.html?.match(/<a /g)).toHaveLength(1);
    expect(parsed.text).toContain(evil);
  });

  it.each(['\r\n', '\n', '\r', '\u2028', '\u0000', '\u0085'])(
    'has one subject, and no header of a title with the line end %j',
    async end => {
      const title = `Pay?${end}Bcc: eve@example.com${end}${end}<b>Hi</b>`;
      const { mail, parsed } = await sent(messageWith({ title }));
      expect(mail.to).toEqual(['finn@example.com', 'ana@example.com']);
      expect(parsed.bcc).toBeUndefined();
      expect(mail.raw.split(/\r?\n\r?\n/)[0]).not.toMatch(/^Bcc:/im);
      expect(parsed.subject).toMatch(/Pay\? ?Bcc: eve@example\.com/);
    },
  );

  it('quotes what the request says, so that it is not taken for the sender', async () => {
    const { parsed } = await sent(
      messageWith({ message: 'Fine.\nOpening the link decides nothing.\nhttps://evil.example' }),
    );
    const lines = (parsed.text ?? '').split(/\r?\n/);
    expect(lines.filter(line => line.includes('evil.example'))).toEqual(['> https://evil.example']);
    expect(lines.filter(line => line === 'Opening the link decides nothing.')).toHaveLength(1);
  });

  it('turns no text around and hides none', async () => {
    const { parsed } = await sent(messageWith({ title: 'Pay \u202E00.5\u202C\u200B\uFEFF now?' }));
    expect(parsed.subject).toBe('Your decision is needed: Pay 00.5 now?');
  });

  it('has the same id at every attempt, and all of one request are one thread', async () => {
    const server = await mailServer();
    const mail = channel(server.port, { types: ['request.opened', 'request.answered'] });
    await mail.deliver(messageWith(), open);
    await mail.deliver(messageWith(), open);
    const by = { kind: 'user', id: 'finn' } as const;
    const answer = { action: 'edit', by, at: '2026-01-01T00:10:00.000Z' } as const;
    const closed = messageWith({}, { id: 'msg_run_1_9', type: 'request.answered', answer });
    await mail.deliver(closed, { ...open, requestStatus: 'answered' });
    const parsed = await Promise.all(server.mails.map(({ raw }) => PostalMime.parse(raw)));
    expect(parsed.map(({ messageId }) => messageId)).toEqual([
      '<msg_run_1_7@example.com>',
      '<msg_run_1_7@example.com>',
      '<msg_run_1_9@example.com>',
    ]);
    expect(new Set(parsed.map(({ references }) => references))).toEqual(new Set(['<req_1@example.com>']));
    expect(parsed[2]!.text).toContain('Approved with changes, by user:finn');
  });
});

describe('no mail', () => {
  it('asks for an answer once the request is closed', async () => {
    const server = await mailServer();
    const outcome = await channel(server.port).deliver(messageWith(), { ...open, requestStatus: 'answered' });
    expect(outcome).toMatchObject({ status: 'skipped' });
    expect(server.mails).toEqual([]);
  });

  it('goes out when nobody who is asked has an address', async () => {
    const server = await mailServer();
    const to = (assignees: string[]) => channel(server.port).deliver(messageWith({ assignees }), open);
    expect(await to([])).toMatchObject({ status: 'skipped' });
    expect(await to(['role:constructor', 'constructor'])).toMatchObject({ status: 'skipped' });
    expect(server.mails).toEqual([]);
  });

  it.each(['finn@example.com\r\nBcc: eve@example.com', 'a@b, eve@example.com', 'Finn <finn@example.com>', 'finn', ''])(
    'goes to %j, which is no bare address',
    async address => {
      const server = await mailServer();
      const outcome = await channel(server.port, { recipients: () => [address] }).deliver(messageWith(), open);
      expect(outcome).toMatchObject({ status: 'refused' });
      expect(server.mails).toEqual([]);
    },
  );
});

describe('a mail server', () => {
  it('that is busy is asked again later; one that takes none of the recipients is not', async () => {
    const answering = (responseCode: number) =>
      mailServer({ onRcptTo: (_, __, done) => done(Object.assign(new Error('no'), { responseCode })) });
    const outcomes: DeliveryOutcome[] = [];
    for (const code of [451, 550])
      outcomes.push(await channel((await answering(code)).port).deliver(messageWith(), open));
    expect(outcomes).toMatchObject([{ status: 'failed' }, { status: 'refused' }]);
  });

  it('that is not there, or takes no password, is asked again later', async () => {
    const server = await mailServer({ authOptional: false, onAuth: (_, __, done) => done(new Error('no')) });
    const smtp = { host: '127.0.0.1', port: server.port, tls: 'none', user: 'desk', password: 'secret:PW' } as const;
    const denied = await channel(0, { smtp, secrets: () => 'hunter2' }).deliver(messageWith(), open);
    expect(denied).toMatchObject({ status: 'failed' });
    expect(JSON.stringify(denied)).not.toContain('hunter2');
    expect(await channel(1).deliver(messageWith(), open)).toMatchObject({ status: 'failed' });
  });

  it('that offers no encryption gets nothing, unless it is on this machine and said to be', async () => {
    const server = await mailServer();
    const smtp = { host: '127.0.0.1', port: server.port };
    expect(await channel(0, { smtp }).deliver(messageWith(), open)).toMatchObject({ status: 'failed' });
    expect(server.mails).toEqual([]);
  });

  it('that says nothing is left when the attempt ends', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const controller = new AbortController();
    const { port } = silent.address() as { port: number };
    silent.once('connection', () => controller.abort());
    const outcome = await channel(port).deliver(messageWith(), { ...open, signal: controller.signal });
    expect(outcome).toMatchObject({ status: 'failed', error: 'The attempt was ended.' });
    silent.close();
  });
});

describe('an e-mail channel', () => {
  it.each([
    ['from', { from: 'Desk <desk@example.com>' }],
    ['from', { from: 'desk@example.com\r\nBcc: eve@example.com' }],
    ['link', { link: 'javascript:alert({request})' }],
    ['link', { link: 'https://desk.example.com/' }],
    ['link', { link: 'https://desk.example.com/{request}/{action}' }],
    ['password', { smtp: { host: 'localhost', user: 'desk', password: 'hunter2' } }],
  ] as const)('with an odd `%s` is refused', (member, options) => {
    expect(() => channel(0, options)).toThrow(
      expect.objectContaining({ code: 'InvalidMail', message: expect.stringContaining(member) }),
    );
  });
});
