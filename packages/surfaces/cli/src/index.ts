export { type Config, defineConfig } from './config/config.ts';
export type { Io } from './io.ts';
export { main } from './main.ts';
