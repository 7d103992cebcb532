export { type CountedEffect, countedEffect } from './counted-effect.ts';
export { createMortalProcess, type MortalProcess } from './mortal-process.ts';
export { createSeededIds } from './seeded-ids.ts';
export { createSimulatedClock, SIMULATED_START, type SimulatedClock } from './simulated-clock.ts';
export type { Stub, StubContext, Stubs } from './stub-handlers.ts';
export { type RestartOptions, Testbox, type TestboxOptions, testbox } from './testbox.ts';
