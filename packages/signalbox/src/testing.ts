export {
  type CountedEffect,
  countedEffect,
  createSeededIds,
  createSimulatedClock,
  type RestartOptions,
  type SimulatedClock,
  type Stub,
  type StubContext,
  type Stubs,
  Testbox,
  type TestboxOptions,
  testbox,
} from '@signalbox/testkit';
