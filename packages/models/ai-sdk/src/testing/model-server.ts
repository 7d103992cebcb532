import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CHAT } from './chat-wire.ts';
import { MESSAGES } from './messages-wire.ts';
import { RESPONSES } from './responses-wire.ts';
import type { FaultTurn, Received, ReplyTurn, Turn, Wire } from './turn.ts';

/** Fixed, or made for the request that came. */
export type TurnOf = Turn | ((received: Received) => Turn);

/**
 * A stand-in for the services of OpenAI and Anthropic: a real server on the loopback address that speaks their formats, streams
 * included, and does what it is told, faults included. What models really say, and what else the services refuse, it cannot tell.
 */
export interface ModelServer {
  /** Base address, with the version. */
  readonly url: string;
  readonly received: readonly Received[];
  /** What comes next, one turn for each request. */
  script(...turns: readonly TurnOf[]): void;
  close(): Promise<void>;
}

const WIRES: readonly Wire[] = [CHAT, RESPONSES, MESSAGES];

export async function startModelServer(): Promise<ModelServer> {
  const received: Received[] = [];
  const turns: TurnOf[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const piece of request.setEncoding('utf8')) text += piece;
    const each: Received = { path: request.url ?? '', headers: request.headers, body: JSON.parse(text) };
    received.push(each);
    const wire = WIRES.find(({ path }) => path === each.path);
    const next = turns.shift();
    const turn = typeof next === 'function' ? next(each) : next;
    if (wire === undefined || turn === undefined) response.writeHead(418).end('The script is over.');
    else await perform(turn, wire, each, response);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    received,
    script: (...more) => void turns.push(...more),
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

async function perform(turn: Turn, wire: Wire, { body }: Received, response: ServerResponse): Promise<void> {
  if ('reset' in turn) response.destroy();
  else if ('status' in turn) fail(turn, wire, response);
  else if (turn.silent) return;
  else if (body.stream === true) await stream(turn, wire, String(body.model), response);
  else sendWhole(turn, wire, String(body.model), response);
}

function fail(turn: FaultTurn, wire: Wire, response: ServerResponse): void {
  const body = turn.body ?? JSON.stringify(wire.error(turn));
  response.writeHead(turn.status, { 'content-type': 'application/json', ...turn.headers }).end(body);
}

function sendWhole(turn: ReplyTurn, wire: Wire, model: string, response: ServerResponse): void {
  const text = JSON.stringify(wire.whole(turn, model));
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  if (turn.cutAfter === undefined) response.end(text);
  else response.write(text.slice(0, text.length / 2), () => response.destroy());
}

async function stream(turn: ReplyTurn, wire: Wire, model: string, response: ServerResponse): Promise<void> {
  const { cutAfter, endAfter, failAfter, stallAfter } = turn;
  const until = cutAfter ?? endAfter ?? failAfter ?? stallAfter;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of wire.events(turn, model).slice(0, until)) await write(response, event);
  if (stallAfter !== undefined) return;
  if (cutAfter !== undefined) response.destroy();
  else response.end(failAfter === undefined ? '' : wire.errorEvent('the machine is on fire'));
}

/** Each event by itself on the wire, as services send them. */
async function write(response: ServerResponse, text: string): Promise<void> {
  await new Promise(resolve => response.write(text, resolve));
  await new Promise(resolve => setImmediate(resolve));
}
