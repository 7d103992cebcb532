export { type EmailOptions, emailChannel, type Recipients } from './email-channel.ts';
export type { SmtpOptions } from './smtp.ts';
export type { Language } from './words.ts';
