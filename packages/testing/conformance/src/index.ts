export type { Check, Skips } from './check.ts';
export { describeChecks, type TestApi } from './describe.ts';
export type { HostFactory, HostFactoryOptions, HostFixture } from './host/host-check.ts';
export { type HostChecksOptions, hostChecks } from './host/host-checks.ts';
export type { BrokenStore } from './store/broken-store.ts';
export { brokenStores } from './store/broken-stores.ts';
export type { StoreFactory, StoreFixture } from './store/store-check.ts';
export { type StoreChecksOptions, storeChecks } from './store/store-checks.ts';
