import type { SqliteDatabase, SqliteStatement } from './driver.ts';
import type { Query } from './sql/query.ts';
import { transaction } from './sql/transaction.ts';

/** One open database whose statements are prepared once, on first use. Everything in it is synchronous. */
export interface Connection {
  one<Row>(query: Query<Row>): Row | undefined;
  all<Row>(query: Query<Row>): Row[];
  /** The number of rows changed. */
  run(query: Query): number;
  /** The id of the row inserted. */
  insert(query: Query): number;
  exec(sql: string): void;
  /** Several reads that see one state. */
  together<T>(read: () => T): T;
  close(): void;
}

export function createConnection(db: SqliteDatabase): Connection {
  const statements = new Map<string, SqliteStatement>();
  const statement = ({ text }: Query): SqliteStatement => {
    const known = statements.get(text);
    if (known !== undefined) return known;
    const made = db.prepare(text);
    statements.set(text, made);
    return made;
  };
  const connection: Connection = {
    one: <Row>(query: Query<Row>) => (statement(query).get(...query.values) ?? undefined) as Row | undefined,
    all: <Row>(query: Query<Row>) => statement(query).all(...query.values) as Row[],
    run: query => Number(statement(query).run(...query.values).changes),
    insert: query => Number(statement(query).run(...query.values).lastInsertRowid),
    exec: sql => void db.exec(sql),
    together: read => {
      connection.run(transaction.beginRead());
      try {
        return read();
      } finally {
        connection.run(transaction.commit());
      }
    },
    close: () => {
      statements.clear();
      db.close();
    },
  };
  return connection;
}
