import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import type { DeliveryMessage, DeliveryOutcome } from '@signalbox/ports';
import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, it } from 'vitest';
import { type Received, type Receiver, startReceiver } from './testing/receiver.ts';
import { type WebhookOptions, webhookChannel } from './webhook-channel.ts';

const KEY = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const OTHER_KEY = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const VALUES: Readonly<Record<string, string>> = { KEY, OTHER_KEY, TOKEN: 'a-token' };

const message: DeliveryMessage = {
  id: 'msg_run_1_7',
  type: 'request.opened',
  at: '2026-01-01T00:00:00.000Z',
  tenant: 'default',
  run: { id: 'run_1', graph: 'refund' },
  request: {
    id: 'req_1',
    kind: 'form',
    title: 'How much? 多少？',
    fields: [],
    assignees: [],
    openedAt: '2026-01-01T00:00:00.000Z',
    node: 'review',
  },
};

const receivers: Receiver[] = [];
afterEach(async () => {
  await Promise.all(receivers.splice(0).map(receiver => receiver.close()));
});

async function receiver(answer: (response: ServerResponse, received: Received) => void): Promise<Receiver> {
  const started = await startReceiver(answer);
  receivers.push(started);
  return started;
}

function channelTo(url: string, options: Partial<WebhookOptions> = {}) {
  return webhookChannel({
    name: 'hook',
    url,
    secret: 'secret:KEY',
    secrets: name => VALUES[name],
    allowHttp: true,
    allowAddresses: ['127.0.0.1'],
    ...options,
  });
}

async function deliverTo(
  url: string,
  options: Partial<WebhookOptions> = {},
  signal = new AbortController().signal,
): Promise<DeliveryOutcome | string> {
  try {
    return await channelTo(url, options).deliver(message, { number: 1, signal, requestStatus: 'open' });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const ends = (status: number, headers: Readonly<Record<string, string>> = {}) => {
  return (response: ServerResponse) => void response.writeHead(status, headers).end();
};

describe('a webhook', () => {
  it('is a signed POST that the library of the receiver verifies', async () => {
    const { url, received } = await receiver(ends(204));
    expect(await deliverTo(url)).toEqual({ status: 'delivered', detail: 'HTTP 204' });
    const [{ headers, body, path }] = received as [Received];
    expect(path).toBe('/hooks');
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'webhook-id': 'msg_run_1_7' });
    const { type, at: timestamp, ...data } = message;
    expect(new Webhook(KEY).verify(body, headers as Record<string, string>)).toEqual({ type, timestamp, data });
    expect(() => new Webhook(OTHER_KEY).verify(body, headers as Record<string, string>)).toThrow();
    const forged = body.replace('refund', 'Refund');
    expect(() => new Webhook(KEY).verify(forged, headers as Record<string, string>)).toThrow();
  });

  it('is signed with every key while keys are changed', async () => {
    const { url, received } = await receiver(ends(200));
    await deliverTo(url, { secret: ['secret:KEY', 'secret:OTHER_KEY'] });
    const [{ headers, body }] = received as [Received];
    for (const key of [KEY, OTHER_KEY])
      expect(new Webhook(key).verify(body, headers as Record<string, string>)).toBeDefined();
  });

  it('has the same id and body at every attempt', async () => {
    const { url, received } = await receiver(ends(500));
    await deliverTo(url);
    await deliverTo(url);
    expect(new Set(received.map(({ headers, body }) => `${headers['webhook-id']} ${body}`)).size).toBe(1);
    expect(received).toHaveLength(2);
  });

  it.each([400, 401, 404, 429, 500, 503])('answered with %i has failed', async status => {
    const { url } = await receiver(ends(status));
    expect(await deliverTo(url)).toEqual({ status: 'failed', error: `HTTP ${status}` });
  });

  it('answered with 410 is given up', async () => {
    const { url } = await receiver(ends(410));
    expect(await deliverTo(url)).toMatchObject({ status: 'refused' });
  });

  it('is put off for as long as the receiver asks, in seconds or until a time', async () => {
    const { url } = await receiver(ends(503, { 'retry-after': '120' }));
    expect(await deliverTo(url)).toMatchObject({ retryAfter: 120_000 });
    const until = new Date(Date.now() + 3_600_000).toUTCString();
    const { url: other } = await receiver(ends(503, { 'retry-after': until }));
    const outcome = (await deliverTo(other)) as { readonly retryAfter: number };
    expect(outcome.retryAfter).toBeGreaterThan(3_500_000);
    const { url: odd } = await receiver(ends(503, { 'retry-after': 'later' }));
    expect(await deliverTo(odd)).toEqual({ status: 'failed', error: 'HTTP 503' });
  });

  it('follows no redirect', async () => {
    const inside = await receiver(ends(200));
    for (const status of [301, 302, 303, 307, 308]) {
      const { url } = await receiver(ends(status, { location: inside.url }));
      expect(await deliverTo(url)).toMatchObject({ status: 'failed', error: expect.stringContaining('redirect') });
    }
    expect(inside.received).toEqual([]);
  });

  it('waits for no body: the first line of the reply decides', async () => {
    const { url } = await receiver(response => void response.writeHead(200).write('…'));
    expect(await deliverTo(url)).toMatchObject({ status: 'delivered' });
  });

  it('that gets no reply ends when the attempt does', async () => {
    const controller = new AbortController();
    const { url, received } = await receiver(() => controller.abort());
    expect(await deliverTo(url, {}, controller.signal)).toMatch(/abort/);
    expect(received).toHaveLength(1);
  });

  it('whose receiver hangs up, or is not there, has failed', async () => {
    const { url, close } = await receiver(response => response.destroy());
    expect(await deliverTo(url)).toMatch(/socket hang up|ECONNRESET/);
    await close();
    expect(await deliverTo(url)).toMatch(/ECONNREFUSED/);
  });

  it('has further headers, with secrets by reference', async () => {
    const { url, received } = await receiver(ends(200));
    await deliverTo(url, { headers: { authorization: 'secret:TOKEN', 'x-desk': 'finance' } });
    expect(received[0]!.headers).toMatchObject({ authorization: 'a-token', 'x-desk': 'finance' });
  });
});

describe('the address of a webhook', () => {
  it('leads to public addresses alone, by name or number', async () => {
    const { url, received } = await receiver(ends(200));
    const { port } = new URL(url);
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '0.0.0.0', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1'])
      expect(await deliverTo(`http://${host}:${port}/`, { allowAddresses: [] })).toMatch(
        /not allowed|private|address/i,
      );
    for (const host of ['10.0.0.1', '192.168.1.1', '169.254.169.254', '[fd00::1]'])
      expect(await deliverTo(`http://${host}/`, { allowAddresses: [] })).toMatch(/not allowed|private|address/i);
    expect(received).toEqual([]);
  });

  it('that begins with https: is spoken to in TLS alone', async () => {
    const heard: Buffer[] = [];
    const server = createServer(socket => {
      socket.on('data', data => {
        heard.push(data);
        socket.destroy();
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    expect(await deliverTo(`https://127.0.0.1:${port}/`)).toMatch(/disconnected|ECONNRESET/);
    server.close();
    const handshake = 0x16;
    expect(heard[0]![0]).toBe(handshake);
    expect(Buffer.concat(heard).toString('latin1')).not.toContain('msg_run_1_7');
  });

  it.each([
    ['http://example.com/', 'https:'],
    ['ftp://example.com/', 'https:'],
    ['file:///etc/passwd', 'https:'],
    ['https://finn:pw@example.com/', 'user or password'],
    ['nowhere', 'no address'],
  ])('%s is refused', (url, reason) => {
    expect(() => channelTo(url, { allowHttp: false })).toThrow(
      expect.objectContaining({ code: 'InvalidWebhook', message: expect.stringContaining(reason) }),
    );
  });
});

describe('the secret of a webhook', () => {
  it('is a reference; a key is refused, and its text not repeated', () => {
    expect(() => channelTo('https://example.com/', { secret: KEY })).toThrow(
      expect.objectContaining({ code: 'InvalidWebhook', message: expect.not.stringContaining(KEY.slice(6)) }),
    );
    expect(() => channelTo('https://example.com/', { secret: [] })).toThrow(
      expect.objectContaining({ code: 'InvalidWebhook' }),
    );
  });

  it('that is not there fails the attempt, naming it', async () => {
    const { url, received } = await receiver(ends(200));
    expect(await deliverTo(url, { secret: 'secret:NONE' })).toContain('NONE');
    expect(received).toEqual([]);
  });

  it('may be the address itself, which errors do not repeat', async () => {
    const { url, received } = await receiver(ends(200));
    expect(await deliverTo('secret:ADDRESS', { secrets: name => ({ ...VALUES, ADDRESS: url })[name] })).toMatchObject({
      status: 'delivered',
    });
    expect(received).toHaveLength(1);
    const told = await deliverTo('secret:ADDRESS', { secrets: () => 'http://finn:pw@127.0.0.1/' });
    expect(told).toMatch(/user or password/);
    expect(told).not.toContain('finn');
  });

  it('that is no key fails the attempt without showing it', async () => {
    const { url } = await receiver(ends(200));
    const told = await deliverTo(url, { secrets: () => 'hunter2 hunter2' });
    expect(told).toContain('no signing key');
    expect(told).not.toContain('hunter2');
  });

  it('leaves the headers of the protocol alone', () => {
    for (const header of ['webhook-id', 'Content-Type', 'Host'])
      expect(() => channelTo('https://example.com/', { headers: { [header]: 'x' } })).toThrow(
        expect.objectContaining({ code: 'InvalidWebhook' }),
      );
  });
});
