import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { onTestFinished } from 'vitest';

export const KEY = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

export interface Received {
  readonly id: string;
  readonly body: string;
  /** What was told, as the library of the receiver verified it. */
  readonly told: { readonly type: string; readonly data: { readonly request: { readonly id: string } } };
}

export interface Receiver {
  readonly url: string;
  readonly received: readonly Received[];
  /** Ids of requests that were told of. */
  requests(): ReadonlySet<string>;
}

/** A real server that verifies what comes before it answers as told; the default is 204. */
export async function startReceiver(
  answer: (response: ServerResponse, received: Received, count: number) => void = response =>
    void response.writeHead(204).end(),
): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', text => {
      body += text;
    });
    request.on('end', () => {
      const each = receivedOf(request.headers, body);
      received.push(each);
      answer(response, each, received.length);
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    received,
    requests: () => new Set(received.map(({ told }) => told.data.request.id)),
  };
}

function receivedOf(headers: IncomingHttpHeaders, body: string): Received {
  const told = new Webhook(KEY).verify(body, headers as Record<string, string>) as Received['told'];
  return { id: String(headers['webhook-id']), body, told };
}
