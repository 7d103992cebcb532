export { type WebhookOptions, webhookChannel } from './webhook-channel.ts';
