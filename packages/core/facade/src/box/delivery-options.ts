import type { DeliveryChannel } from '@signalbox/ports';
import type { Actor } from './principal.ts';

export interface DeliverySelection {
  readonly tenant?: string;
  readonly channel?: string;
  /** One message; absent: all dead letters. */
  readonly id?: string;
  readonly as?: Actor;
}

export interface ListenerOptions
  extends Pick<DeliveryChannel, 'tenant' | 'types' | 'schedule' | 'timeout' | 'concurrency'> {}
