import { SignalboxError } from '@signalbox/kernel';

export function invalidMail(channel: string, reason: string): SignalboxError {
  return new SignalboxError('InvalidMail', `E-mail channel ${JSON.stringify(channel)} is not valid: ${reason}.`, {
    hint: 'See "E-mail" in the guide to delivery.',
    details: { channel, reason },
  });
}
