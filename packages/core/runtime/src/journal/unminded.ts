/** Whoever does not wait for an operation must not bring the process down by that: how it ended is recorded. */
export function unminded<Result>(promise: Promise<Result>): Promise<Result> {
  promise.catch(() => {});
  return promise;
}
