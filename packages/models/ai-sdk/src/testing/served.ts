import type { ModelReply, ModelRequest } from '@signalbox/ports';
import { afterEach } from 'vitest';
import { type ModelServer, startModelServer } from './model-server.ts';

const servers: ModelServer[] = [];

/** A stand-in that is closed after the test. */
export async function served(): Promise<ModelServer> {
  const server = await startModelServer();
  servers.push(server);
  return server;
}

afterEach(async () => {
  await Promise.all(servers.splice(0).map(server => server.close()));
});

export function ask(model: string, more: Partial<ModelRequest> = {}): ModelRequest {
  return { model, messages: [{ role: 'user', text: 'Charged twice!' }], ...more };
}

/** What became of a call: the reply, or code, message, hint and details of its error. */
export async function outcome(call: Promise<ModelReply>): Promise<Record<string, unknown>> {
  try {
    return { ...(await call) };
  } catch (error) {
    const { code, message, hint, details } = error as Record<'code' | 'message' | 'hint' | 'details', unknown>;
    return { code, message, hint, details };
  }
}

export const LIVE = { signal: new AbortController().signal } as const;
