import { type JsonObject, marksSensitive, type WaitData } from '@signalbox/kernel';

interface Waiting {
  readonly wait?: WaitData | undefined;
  readonly first?: Readonly<Record<string, WaitData>> | undefined;
}

/** Schemas of signals that handlers wait for and that mark something, by name. The program says those of its nodes. */
export class SignalSchemas {
  readonly #byName = new Map<string, readonly JsonObject[]>();

  get isEmpty(): boolean {
    return this.#byName.size === 0;
  }

  of(signal: string): readonly JsonObject[] {
    return this.#byName.get(signal) ?? [];
  }

  learn({ wait, first }: Waiting): void {
    for (const { signal, schema } of waitsOf({ wait, first }))
      if (signal !== undefined && schema !== undefined && marksSensitive(schema))
        this.#byName.set(signal, [...this.of(signal), schema]);
  }

  adopt(other: SignalSchemas): void {
    for (const [signal, schemas] of other.#byName) this.#byName.set(signal, schemas);
  }
}

/** Whether any of the signals waited for has a schema that marks something. */
export function awaitsSensitive(waiting: Waiting): boolean {
  return waitsOf(waiting).some(({ schema }) => schema !== undefined && marksSensitive(schema));
}

function waitsOf({ wait, first }: Waiting): readonly WaitData[] {
  if (wait !== undefined) return [wait];
  return first === undefined ? [] : Object.values(first);
}
