import { createInterface } from 'node:readline';
import { webhookChannel } from '@signalbox/delivery-webhook';
import { createSignalbox, type DeliveryChannel, defineGraph } from 'signalbox';
import { z } from 'zod';

/**
 * A process that asks questions and publishes them: `publisher-process.ts PATH URL MODE`. It asks one for each line of
 * its input and says the request's id. Modes: `publish`; `silent` (no channel); `stuck` (says `sending` and never gets on).
 */
const [path, url, mode] = process.argv.slice(2) as [string, string, 'publish' | 'silent' | 'stuck'];

const graph = defineGraph({ name: 'asking', input: z.object({}) });
const ask = graph.ask({ title: 'Go on?', kind: 'confirmation' });
const asking = graph.build({ entry: 'ask', nodes: { ask }, routes: {} });

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

const webhook = webhookChannel({
  name: 'hook',
  url,
  secret: 'secret:HOOK_KEY',
  secrets: () => 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  allowHttp: true,
  allowAddresses: ['127.0.0.1'],
  schedule: ['100ms', '200ms', '1s', '1s', '1s', '1s'],
  timeout: '2s',
});

const stuck: DeliveryChannel = {
  ...webhook,
  deliver: () => {
    say('sending');
    return new Promise(() => {});
  },
};

const channels = { publish: [webhook], silent: [], stuck: [stuck] }[mode];
const box = createSignalbox({
  path,
  graphs: [asking],
  channels,
  lease: 600,
  deliveryLease: 600,
  observer: { onError: error => console.error(error) },
});
await box.ready();
say('up');

for await (const _ of createInterface({ input: process.stdin })) {
  const run = await box.start(asking, {});
  const view = await run.settled();
  say(view.status === 'suspended' ? view.requests[0]!.id : view.status);
}
await box.close();
