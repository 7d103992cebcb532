/** One thing that a subject must do. `run` throws when it does not; it may run in any order, and alone. */
export interface Check {
  readonly name: string;
  run(): Promise<void>;
}

/** Names of checks that do not apply, with the reason. A name that no check has is refused. */
export type Skips = Readonly<Record<string, string>>;

export function withoutSkipped<T extends Check>(checks: readonly T[], skip: Skips = {}): T[] {
  const names = new Set(checks.map(({ name }) => name));
  const unknown = Object.keys(skip).filter(name => !names.has(name));
  if (unknown.length > 0) throw new TypeError(`No check is named ${unknown.map(name => `"${name}"`).join(', ')}.`);
  return checks.filter(({ name }) => !(name in skip));
}

/** Rejects when `work` has not settled after `ms`, so that a subject that hangs is told by name. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Nothing happened within ${ms} ms.`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Turns of the event loop, I/O and timers included. */
export async function turns(count = 1): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise(resolve => setImmediate(resolve));
}

/** Waits until `condition` holds, at most `ms`; false when it does not. */
export async function holdsWithin(ms: number, condition: () => boolean | Promise<boolean>): Promise<boolean> {
  const deadline = performance.now() + ms;
  while (!(await condition())) {
    if (performance.now() > deadline) return false;
    await new Promise(resolve => setTimeout(resolve, 2));
  }
  return true;
}
