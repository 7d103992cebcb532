export { type EmailOptions, emailChannel, type Recipients } from './email-channel.ts';
export type { Language } from './words.ts';
