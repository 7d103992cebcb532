import { SignalboxError } from '@signalbox/kernel';

export function invalidChannel(channel: string, reason: string): SignalboxError {
  return new SignalboxError('InvalidChannel', `Channel ${JSON.stringify(channel)} is not valid: ${reason}.`, {
    hint: 'See "What a channel is made of" in the guide to delivery.',
    details: { channel, reason },
  });
}
