import { type Query, query } from './query.ts';

/** Words: the small vocabulary of rows (tenants, graphs, versions, statuses, owners, assignees), each stored once. */
export function selectWordId(text: string): Query<{ id: number }> {
  return query('SELECT id FROM words WHERE text = ?', text);
}

export function selectWord(id: number): Query<{ text: string }> {
  return query('SELECT text FROM words WHERE id = ?', id);
}

export function insertWord(text: string): Query {
  return query('INSERT INTO words (text) VALUES (?)', text);
}
