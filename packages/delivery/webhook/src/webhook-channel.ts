import {
  type DeliveryChannel,
  type DeliveryMessage,
  type DeliveryOutcome,
  isSecretReference,
  readSecret,
  type SecretSource,
} from '@signalbox/ports';
import { Webhook } from 'standardwebhooks';
import { retryAfterMillis } from './retry-after.ts';
import { invalidWebhook, post, type Reply, type TargetOptions, webhookTarget } from './webhook-target.ts';

export interface WebhookOptions
  extends TargetOptions,
    Pick<DeliveryChannel, 'tenant' | 'types' | 'schedule' | 'timeout' | 'concurrency'> {
  readonly name: string;
  /** An `https:` address; or `secret:NAME` of one that nobody may see. */
  readonly url: string;
  /** `secret:NAME` of the signing key (`whsec_…`); several while keys are changed: the message is signed with each. */
  readonly secret: string | readonly string[];
  /** More headers; a value may be `secret:NAME`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Where secrets are; default the environment. */
  readonly secrets?: SecretSource;
}

/** Those of the protocol are not the configuration's to set. */
const OWN_HEADERS = /^(?:webhook-.*|content-.*|host|transfer-encoding|connection)$/i;
const GONE = 410;

/**
 * Posts messages to a URL, signed by the Standard Webhooks specification.
 *
 * @throws SignalboxError `InvalidWebhook`
 */
export function webhookChannel(options: WebhookOptions): DeliveryChannel {
  const { name, url, secret, headers = {}, secrets = variable => process.env[variable], ...rest } = options;
  const { allowHttp: _, allowAddresses: __, ...channel } = rest;
  const target = isSecretReference(url) ? undefined : webhookTarget(name, url, options);
  const references = [secret].flat();
  if (references.length === 0) throw invalidWebhook(name, 'it has no secret to sign with');
  if (!references.every(isSecretReference)) throw invalidWebhook(name, 'its `secret` is not written as `secret:NAME`');
  const forbidden = Object.keys(headers).find(header => OWN_HEADERS.test(header));
  if (forbidden !== undefined) throw invalidWebhook(name, `the header ${forbidden} is not to be set`);

  return {
    ...channel,
    name,
    async deliver(message, { signal }) {
      const chosen = target ?? webhookTarget(name, await readSecret(url, secrets), options);
      const body = bodyOf(message);
      const now = new Date();
      const signed = {
        ...(await readHeaders(headers, secrets)),
        'content-type': 'application/json',
        'user-agent': 'signalbox',
        'webhook-id': message.id,
        'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
        'webhook-signature': (await signersOf(name, references, secrets))
          .map(signer => signer.sign(message.id, now, body))
          .join(' '),
      };
      return outcomeOf(await post(chosen, { body, headers: signed, signal }), now.getTime());
    },
  };
}

/** The payload that the specification recommends; the same at every attempt. */
function bodyOf({ type, at, ...data }: DeliveryMessage): string {
  return JSON.stringify({ type, timestamp: at, data });
}

async function signersOf(name: string, references: readonly string[], secrets: SecretSource): Promise<Webhook[]> {
  const keys = await Promise.all(references.map(reference => readSecret(reference, secrets)));
  try {
    return keys.map(key => new Webhook(key));
  } catch {
    // What the library says of it is of no use, and whether it repeats the key is its affair.
    throw invalidWebhook(name, 'its secret is no signing key, which is `whsec_` and base64');
  }
}

async function readHeaders(
  headers: Readonly<Record<string, string>>,
  secrets: SecretSource,
): Promise<Record<string, string>> {
  const read = Object.entries(headers).map(
    async ([name, value]) => [name, isSecretReference(value) ? await readSecret(value, secrets) : value] as const,
  );
  return Object.fromEntries(await Promise.all(read));
}

function outcomeOf({ status, retryAfter }: Reply, now: number): DeliveryOutcome {
  if (status >= 200 && status < 300) return { status: 'delivered', detail: `HTTP ${status}` };
  if (status === GONE) return { status: 'refused', error: 'HTTP 410: the receiver is gone' };
  const wish = retryAfterMillis(retryAfter, now);
  const error = status >= 300 && status < 400 ? `HTTP ${status}: redirects are not followed` : `HTTP ${status}`;
  return { status: 'failed', error, ...(wish === undefined ? {} : { retryAfter: wish }) };
}
