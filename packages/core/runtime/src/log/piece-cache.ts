import type { JsonValue } from '@signalbox/kernel';

export interface ReadPiece {
  readonly items: readonly JsonValue[];
  /** Length of its text. */
  readonly units: number;
}

/** Text whose items are kept at most, in UTF-16 units. */
const LIMIT = 8 * 1024 * 1024;

/**
 * Pieces of long lists that were read last, by the digest of their text: whoever looks at several moments of a run meets
 * the same pieces again and again. Their items are shared and never changed.
 */
export class PieceCache {
  readonly #pieces = new Map<string, ReadPiece>();
  #units = 0;

  get(digest: string): ReadPiece | undefined {
    return this.#pieces.get(digest);
  }

  /** As the one used last. */
  keep(digest: string, piece: ReadPiece): void {
    if (!this.#pieces.delete(digest)) this.#units += piece.units;
    this.#pieces.set(digest, piece);
    for (const [oldest, { units }] of this.#pieces) {
      if (this.#units <= LIMIT) return;
      this.#pieces.delete(oldest);
      this.#units -= units;
    }
  }
}
