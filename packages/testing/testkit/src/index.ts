export { type CassetteOptions, cassetteModel } from './cassette-model.ts';
export { type CountedEffect, countedEffect } from './counted-effect.ts';
export { type ExecutedNode, type ExecuteNodeOptions, executeNode } from './execute-node.ts';
export { createMortalProcess, type MortalProcess } from './mortal-process.ts';
export { answers, fails, type Move, signals, start, succeeds, type Wait, wait } from './moves.ts';
export { reExecuteHistory } from './re-execute-history.ts';
export { type Expected, type Given, type Past, type ScenarioOptions, scenario, type Then } from './scenario.ts';
export {
  type ScriptedCall,
  type ScriptedModel,
  type ScriptedParts,
  type ScriptedReply,
  type ScriptLine,
  scriptedModel,
} from './scripted-model.ts';
export { createSeededIds } from './seeded-ids.ts';
export { createSimulatedClock, SIMULATED_START, type SimulatedClock } from './simulated-clock.ts';
export type { Stub, StubContext, Stubs } from './stub-handlers.ts';
export { createWorld, type RestartOptions, Testbox, type TestboxOptions, testbox, type World } from './testbox.ts';
