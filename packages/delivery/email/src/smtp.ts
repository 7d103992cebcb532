import { type DeliveryOutcome, readSecret, type SecretSource } from '@signalbox/ports';
import { createTransport } from 'nodemailer';

export interface SmtpOptions {
  readonly host: string;
  /** Default 465 with `tls: 'always'`, else 587. */
  readonly port?: number;
  /** `always`: from the first byte; `upgrade` (default): STARTTLS, and nothing is sent without; `none`: for a relay on this machine. */
  readonly tls?: 'always' | 'upgrade' | 'none';
  readonly user?: string;
  /** `secret:NAME` */
  readonly password?: string;
}

const SOCKET_TIMEOUT = 30_000;

/** @throws SignalboxError `UnknownSecret` */
export async function transportOptions(
  { host, port, tls = 'upgrade', user, password }: SmtpOptions,
  secrets: SecretSource,
) {
  const pass = password === undefined ? '' : await readSecret(password, secrets);
  return {
    host,
    port: port ?? (tls === 'always' ? 465 : 587),
    secure: tls === 'always',
    requireTLS: tls === 'upgrade',
    ignoreTLS: tls === 'none',
    ...(user === undefined ? {} : { auth: { user, pass } }),
    connectionTimeout: SOCKET_TIMEOUT,
    greetingTimeout: SOCKET_TIMEOUT,
    socketTimeout: SOCKET_TIMEOUT,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

type Mail = Parameters<ReturnType<typeof createTransport>['sendMail']>[0];

/** Sends one mail; whatever goes wrong is an outcome. */
export async function sendMail(
  options: Awaited<ReturnType<typeof transportOptions>>,
  mail: Mail,
  signal: AbortSignal,
): Promise<DeliveryOutcome> {
  const transport = createTransport(options);
  const { promise: aborted, forget } = abortOf(signal);
  try {
    const sent = await Promise.race([transport.sendMail(mail), aborted]);
    const rejected = sent.rejected?.length ?? 0;
    return { status: 'delivered', ...(rejected === 0 ? {} : { detail: `${rejected} recipients were not taken` }) };
  } catch (error) {
    return failureOf(error);
  } finally {
    forget();
    transport.close();
  }
}

function abortOf(signal: AbortSignal): { readonly promise: Promise<never>; readonly forget: () => void } {
  let abort = () => {};
  const promise = new Promise<never>((_, reject) => {
    abort = () => reject(new DOMException('The attempt was ended.', 'AbortError'));
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
  });
  return { promise, forget: () => signal.removeEventListener('abort', abort) };
}

/** A server that will have none of the recipients says so for good; all else may be better later. */
function failureOf(error: unknown): DeliveryOutcome {
  const { message, code, responseCode } = error as Error & { readonly code?: string; readonly responseCode?: number };
  const status = code === 'EENVELOPE' && (responseCode ?? 0) >= 550 ? 'refused' : 'failed';
  return { status, error: message };
}
