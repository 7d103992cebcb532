import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HookServer {
  readonly url: string;
  /** Bodies that came. */
  readonly bodies: readonly string[];
  close(): Promise<unknown>;
}

/** A real server on the loopback address that keeps what comes. */
export async function startHooks(): Promise<HookServer> {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    bodies.push(body);
    response.writeHead(200).end();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    return new Promise(resolve => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${port}/hooks`, bodies, close };
}
