import {
  type DeliveryChannel,
  type DeliveryMessage,
  type DeliveryType,
  isSecretReference,
  type SecretSource,
} from '@signalbox/ports';
import { invalidMail } from './invalid-mail.ts';
import { linkTemplate } from './link.ts';
import { mailText } from './mail-text.ts';
import { type SmtpOptions, sendMail, transportOptions } from './smtp.ts';
import { type Language, WORDS } from './words.ts';

/** Addresses by assignee (`user:finn`, `role:finance`; `anybody` where nobody is named), or a function that finds them. */
export type Recipients =
  | Readonly<Record<string, string | readonly string[]>>
  | ((message: DeliveryMessage) => readonly string[] | Promise<readonly string[]>);

export interface EmailOptions
  extends Pick<DeliveryChannel, 'tenant' | 'types' | 'schedule' | 'timeout' | 'concurrency'> {
  readonly name: string;
  readonly smtp: SmtpOptions;
  /** A bare address, as in `desk@example.com`. */
  readonly from: string;
  readonly recipients: Recipients;
  /** Where a request can be read and answered: `https://desk.example.com/requests/{request}`; also `{run}`, `{tenant}`. */
  readonly link: string;
  /** Default `en`. */
  readonly language?: Language | ((message: DeliveryMessage) => Language);
  /** Where secrets are; default the environment. */
  readonly secrets?: SecretSource;
}

/** Those that ask for an answer. */
const ASKING: readonly DeliveryType[] = ['request.opened', 'request.reminded', 'request.escalated'];
/** One bare address. Nothing in it can end a header or begin another address. */
const ADDRESS = /^[^\s\p{C}<>()[\]\\,;:"@]+@[^\s\p{C}<>()[\]\\,;:"@]+$/u;

/**
 * Sends messages as e-mail. What asks for an answer is not sent once the request is closed.
 *
 * @throws SignalboxError `InvalidMail`
 */
export function emailChannel(options: EmailOptions): DeliveryChannel {
  const { name, smtp, from, recipients, link, language = 'en', types = ASKING, ...rest } = options;
  const { secrets = variable => process.env[variable], ...channel } = rest;
  if (!ADDRESS.test(from)) throw invalidMail(name, 'its `from` is no address');
  if (smtp.password !== undefined && !isSecretReference(smtp.password))
    throw invalidMail(name, 'its `password` is not written as `secret:NAME`');
  const linkOf = linkTemplate(name, link);

  return {
    ...channel,
    name,
    types,
    async deliver(message, { signal, requestStatus }) {
      if (ASKING.includes(message.type) && requestStatus !== 'open')
        return { status: 'skipped', reason: `The request is ${requestStatus} by now.` };
      const to = [...new Set(await recipientsOf(recipients, message))];
      if (to.length === 0) return { status: 'skipped', reason: 'Nobody of those asked has an address.' };
      if (!to.every(address => ADDRESS.test(address)))
        return { status: 'refused', error: 'A recipient has an address that is none.' };
      const words = WORDS[typeof language === 'function' ? language(message) : language];
      const mail = { from, to, ...mailText(message, words, linkOf(message)), ...headersOf(message, from) };
      return await sendMail(await transportOptions(smtp, secrets), mail, signal);
    },
  };
}

async function recipientsOf(recipients: Recipients, message: DeliveryMessage): Promise<readonly string[]> {
  if (typeof recipients === 'function') return await recipients(message);
  const { assignees } = message.request;
  const asked = assignees.length === 0 ? ['anybody'] : assignees;
  return asked.flatMap(assignee => (Object.hasOwn(recipients, assignee) ? recipients[assignee]! : []));
}

/** The same fact has the same id; all mails of a request are one thread. */
function headersOf({ id, request }: DeliveryMessage, from: string) {
  const domain = from.slice(from.indexOf('@') + 1);
  const thread = `<${encodeURIComponent(request.id)}@${domain}>`;
  return {
    messageId: `<${encodeURIComponent(id)}@${domain}>`,
    inReplyTo: thread,
    references: [thread],
    headers: { 'Auto-Submitted': 'auto-generated' },
  };
}
