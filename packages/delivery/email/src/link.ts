import type { DeliveryMessage } from '@signalbox/ports';
import { invalidMail } from './invalid-mail.ts';

export type LinkOf = (message: DeliveryMessage) => string;

/**
 * A link to the place where a request can be read and answered, from a template with `{request}`, `{run}`, `{tenant}`. It
 * names and does nothing: whoever opens it, a person or a scanner, decides nothing by it.
 *
 * @throws SignalboxError `InvalidMail`
 */
export function linkTemplate(channel: string, template: string): LinkOf {
  const unknown = /\{(?!(?:request|run|tenant)\})[^}]*\}?/.exec(template)?.[0];
  if (unknown !== undefined)
    throw invalidMail(channel, `its \`link\` has ${unknown}; there is {request}, {run}, {tenant}`);
  if (!template.includes('{request}')) throw invalidMail(channel, 'its `link` does not name the {request}');
  const filled = fill(template, { request: 'r', run: 'r', tenant: 't' });
  const url = URL.canParse(filled) ? new URL(filled) : undefined;
  if (url === undefined || !['https:', 'http:'].includes(url.protocol))
    throw invalidMail(channel, 'its `link` is no web address');
  return ({ request, run, tenant }) => fill(template, { request: request.id, run: run.id, tenant });
}

function fill(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
}
