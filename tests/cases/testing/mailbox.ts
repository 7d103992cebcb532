import type { AddressInfo } from 'node:net';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { onTestFinished } from 'vitest';

export interface Mailbox {
  readonly port: number;
  /** Addresses in the mails that came, the plain text's and the HTML's, in order and each once for a mail. */
  links(): Promise<readonly string[]>;
}

/** A real mail server on the loopback address. */
export async function openMailbox(): Promise<Mailbox> {
  const mails: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, _session, done) {
      let raw = '';
      stream.setEncoding('utf8').on('data', (text: string) => {
        raw += text;
      });
      stream.on('end', () => {
        mails.push(raw);
        done();
      });
    },
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise(resolve => server.close(() => resolve())));
  return {
    port: (server.server.address() as AddressInfo).port,
    async links() {
      const links = await Promise.all(
        mails.map(async raw => {
          const { text = '', html = '' } = await PostalMime.parse(raw);
          return new Set([...`${text} ${html}`.matchAll(/https?:\/\/[^\s"<]+/g)].map(([link]) => link));
        }),
      );
      return links.flatMap(each => [...each]);
    },
  };
}
