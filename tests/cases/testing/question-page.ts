import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isSignalboxError, type Signalbox } from 'signalbox';
import { onTestFinished } from 'vitest';

const TOKEN = 'of-the-session';

/** A page of a user's program to which the link of a mail may lead: whoever looks is shown the question, whoever posts answers. */
export async function openQuestionPage(box: Signalbox): Promise<{ readonly origin: string; readonly token: string }> {
  const server = createServer((request, response) => {
    const shown = request.method === 'POST' ? answered(box, request) : looked(box, idOf(request));
    void shown.then(({ status, text }) => response.writeHead(status).end(text));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise(resolve => server.close(() => resolve())));
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: TOKEN };
}

interface Shown {
  readonly status: number;
  readonly text: string;
}

function idOf({ url = '' }: IncomingMessage): string {
  return new URL(url, 'http://localhost').pathname.split('/').at(-1) ?? '';
}

async function looked(box: Signalbox, id: string): Promise<Shown> {
  const row = await box.store.request(id);
  if (row === undefined) return { status: 404, text: 'There is no such question.' };
  if (row.status !== 'open') return { status: 200, text: 'already decided' };
  const { requests } = await box.get(row.runId).view();
  return { status: 200, text: requests.find(request => request.id === id)!.title };
}

async function answered(box: Signalbox, request: IncomingMessage): Promise<Shown> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  const form = new URLSearchParams(body);
  if (form.get('token') !== TOKEN) return { status: 403, text: 'This form is not ours.' };
  try {
    await box.answer(idOf(request), { action: form.get('action') ?? '', as: 'user:finn' });
    return { status: 200, text: 'thank you' };
  } catch (error) {
    if (!isSignalboxError(error)) throw error;
    return { status: 409, text: error.code };
  }
}
