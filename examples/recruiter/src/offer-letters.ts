import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';

export interface OfferLetter {
  readonly candidate: string;
  readonly salary: number;
}

/** Stands for the mail: the letters that went out, each under the key of its call, which makes it one. */
export class OfferLetters {
  readonly #database: InstanceType<typeof DatabaseSync>;

  constructor(path: string) {
    mkdirSync(dirname(path), { recursive: true });
    this.#database = new DatabaseSync(path, { timeout: 5_000 });
    this.#database.exec(
      'CREATE TABLE IF NOT EXISTS letters (key TEXT PRIMARY KEY, candidate TEXT NOT NULL, salary INTEGER NOT NULL) STRICT',
    );
  }

  send(key: string, { candidate, salary }: OfferLetter): void {
    this.#database.prepare('INSERT OR IGNORE INTO letters VALUES (?, ?, ?)').run(key, candidate, salary);
  }

  list(): readonly OfferLetter[] {
    return this.#database.prepare('SELECT candidate, salary FROM letters ORDER BY rowid').all() as OfferLetter[];
  }

  close(): void {
    this.#database.close();
  }
}
