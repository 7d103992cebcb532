/** A map that forgets what was used longest ago. */
export interface Lru<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): void;
  delete(key: Key): void;
  clear(): void;
}

export function createLru<Key, Value>(limit: number): Lru<Key, Value> {
  const entries = new Map<Key, Value>();
  return {
    get(key) {
      const value = entries.get(key);
      if (value === undefined || entries.size < limit) return value;
      entries.delete(key);
      entries.set(key, value);
      return value;
    },
    set(key, value) {
      if (entries.size >= limit && !entries.has(key)) {
        for (const oldest of entries.keys()) {
          entries.delete(oldest);
          break;
        }
      }
      entries.set(key, value);
    },
    delete: key => void entries.delete(key),
    clear: () => entries.clear(),
  };
}
