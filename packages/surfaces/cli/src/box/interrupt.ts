/** Ctrl-C (or the request to end) came while a run was driven. Its log holds all that was done. */
export class Interrupted extends Error {
  readonly runId: string | undefined;

  constructor(runId?: string) {
    super('interrupted');
    this.name = 'Interrupted';
    this.runId = runId;
  }
}

export interface InterruptWatch {
  /** Resolves at the first signal; never otherwise. A second one ends the process at once. */
  readonly happened: Promise<void>;
  forget(): void;
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

export function onInterrupt(): InterruptWatch {
  let count = 0;
  let tell: () => void;
  const happened = new Promise<void>(resolve => {
    tell = resolve;
  });
  const onSignal = () => {
    count += 1;
    if (count > 1) process.exit(130);
    tell();
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return {
    happened,
    forget() {
      for (const signal of SIGNALS) process.off(signal, onSignal);
    },
  };
}
