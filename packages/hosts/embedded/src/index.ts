export { createEmbeddedHost, type EmbeddedHostOptions } from './embedded-host.ts';
export { createIdGenerator, createSystemClock } from './system-clock.ts';
