import { AsyncLocalStorage } from 'node:async_hooks';

/** A run whose handler calls. */
export interface CallingRun {
  readonly run: string;
  readonly session: string;
}

const calling = new AsyncLocalStorage<CallingRun>();

/** Has what `work` starts know from inside which run it is started. */
export function insideRun<Result>(run: CallingRun, work: () => Result): Result {
  return calling.run(run, work);
}

export function callingRun(): CallingRun | undefined {
  return calling.getStore();
}
