export { type Config, defineConfig } from '@signalbox/cli';
export * from '@signalbox/core';
export { createMemoryStore } from '@signalbox/store-memory';
export { createSqliteStore } from '@signalbox/store-sqlite';
export { createSignalbox, DEFAULT_PATH, type SignalboxOptions } from './create-signalbox.ts';
