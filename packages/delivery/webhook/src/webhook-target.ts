import { type Agent, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { SignalboxError } from '@signalbox/kernel';
import { useAgent } from 'request-filtering-agent';

export interface TargetOptions {
  /** Take `http:` as well; for a receiver on this machine. Default false. */
  readonly allowHttp?: boolean;
  /** Addresses that are not public and may be reached all the same, as IP or CIDR; default none. */
  readonly allowAddresses?: readonly string[];
}

/** Where a webhook goes, checked. It is the operator's or a tenant's word, so it must not lead inside. */
export interface WebhookTarget {
  readonly url: URL;
  readonly agent: Agent;
}

/** @throws SignalboxError `InvalidWebhook`; the text does not repeat the address, which may hold what is secret. */
export function webhookTarget(channel: string, address: string, options: TargetOptions): WebhookTarget {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined) throw invalidWebhook(channel, 'its `url` is no address');
  if (url.protocol !== 'https:' && !(options.allowHttp === true && url.protocol === 'http:'))
    throw invalidWebhook(channel, 'its `url` does not begin with https:');
  if (url.username !== '' || url.password !== '')
    throw invalidWebhook(channel, 'its `url` holds a user or password; give a header instead');
  const agent = useAgent(url.href, {
    allowIPAddressList: [...(options.allowAddresses ?? [])],
    keepAlive: false,
  });
  return { url, agent };
}

export interface Reply {
  readonly status: number;
  /** As it was sent. */
  readonly retryAfter: string | undefined;
}

export interface Post {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/**
 * Posts and resolves with the head of the reply. Redirects are not followed and the body is not read: nobody decides by it,
 * and a slow one must not hold anything up.
 */
export function post({ url, agent }: WebhookTarget, { body, headers, signal }: Post): Promise<Reply> {
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const length = String(Buffer.byteLength(body));
    const sent = request(url, { method: 'POST', agent, signal, headers: { ...headers, 'content-length': length } });
    sent.on('response', response => {
      resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] });
      response.destroy();
    });
    // After the reply nothing that happens to the connection matters: a settled promise does not change.
    sent.on('error', reject);
    sent.end(body);
  });
}

export function invalidWebhook(channel: string, reason: string): SignalboxError {
  return new SignalboxError('InvalidWebhook', `Webhook ${JSON.stringify(channel)} is not valid: ${reason}.`, {
    hint: 'Give an https: address, and secrets as `secret:NAME`.',
    details: { channel, reason },
  });
}
