/** Something that reaches outside, in a test: it counts how often it was done. */
export interface CountedEffect<Args extends readonly unknown[], Result> {
  (...args: Args): Promise<Result>;
  /** How often it was performed. */
  readonly count: number;
  /** With what, oldest first. */
  readonly calls: readonly Args[];
  /** The next `times` calls are performed and then throw: the outcome is lost on its way back. */
  failNext(error: Error, times?: number): void;
}

/** `done` says what the effect gives; nothing by default. */
export function countedEffect<Args extends readonly unknown[], Result = null>(
  done?: (...args: Args) => Result | Promise<Result>,
): CountedEffect<Args, Result> {
  const calls: Args[] = [];
  const failures: Error[] = [];
  const effect = async (...args: Args): Promise<Result> => {
    calls.push(args);
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
    return done === undefined ? (null as Result) : await done(...args);
  };
  const failNext = (error: Error, times = 1) => {
    for (let time = 0; time < times; time += 1) failures.push(error);
  };
  const counted = Object.assign(effect, { calls, failNext, count: 0 });
  return Object.defineProperty(counted, 'count', { get: () => calls.length });
}
