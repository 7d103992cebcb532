export { createMemoryData, type MemoryData } from './memory-data.ts';
export { createMemoryStore, type MemoryStoreOptions } from './memory-store.ts';
