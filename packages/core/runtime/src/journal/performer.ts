/** What stands in for effects where a handler is executed once more. */
export interface Performer {
  /** The code asks for an operation of that name. */
  asked(name: string): void;
  /** Begins an operation in place of its function. `key` is derived from its place in the journal. */
  perform(name: string, key: string): Promise<unknown>;
}
