import { createMortalProcess } from '@signalbox/testkit';
import type { StoreFactory } from '../store/store-check.ts';
import { clockAhead, ParkedDesk } from './parked-desk.ts';
import type { LaunchOptions, ParkedFactory, ParkedProcess } from './parked-process.ts';

/** Processes that live in this one: each has a store object of its own, and once killed nothing of it reaches the data. */
export function mortalProcesses(factory: StoreFactory): ParkedFactory {
  return async () => {
    const fixture = await factory();
    const marks: string[] = [];

    async function launch({ plan, ahead }: LaunchOptions): Promise<ParkedProcess> {
      const process = createMortalProcess(await fixture.open(), clockAhead(ahead));
      const desk = new ParkedDesk(process.store, process.clock, plan, line => void marks.push(line));
      await desk.ready();
      return {
        start: () => desk.start(),
        questions: runId => desk.questions(runId),
        answer: (requestId, answer) => desk.answer(requestId, answer),
        history: runId => desk.history(runId),
        kill: async () => process.kill(),
      };
    }

    return { launch, marks: () => marks, dispose: () => fixture.dispose?.() };
  };
}
