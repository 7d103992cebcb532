import type { Connection } from './connection.ts';
import { createLru } from './lru.ts';
import { insertStream, selectHead, selectStreamId } from './sql/commits.ts';
import { insertWord, selectWord, selectWordId } from './sql/words.ts';

const KEPT = 10_000;

/** Where a stream stands. */
export interface Place {
  readonly id: number;
  readonly seq: number;
  /** Hash of its last commit; undefined of a stream without any. */
  readonly hash: string | undefined;
}

/**
 * Integers for the names that rows repeat, and the places of streams, remembered.
 *
 *  1. Ids are never given anew, so a remembered word holds for good, unless the transaction that made it was rolled back:
 *     whoever rolls back calls `forget`.
 *  2. A remembered place holds until another connection commits: whoever sees that calls `forgetPlaces`.
 *  3. `…IdFor` and `placeFor` may write and are called inside a write transaction only.
 */
export interface Names {
  wordIdFor(text: string): number;
  wordId(text: string): number | undefined;
  word(id: number): string;
  streamIdFor(name: string): number;
  streamId(name: string): number | undefined;
  placeFor(stream: string): Place;
  setPlace(stream: string, place: Place): void;
  forgetPlaces(): void;
  forget(): void;
}

export function createNames(db: Connection): Names {
  const wordIds = createLru<string, number>(KEPT);
  const words = createLru<number, string>(KEPT);
  const streamIds = createLru<string, number>(KEPT);
  const places = createLru<string, Place>(KEPT);

  const names: Names = {
    wordIdFor: text => names.wordId(text) ?? keep(wordIds, text, db.insert(insertWord(text))),
    wordId(text) {
      const known = wordIds.get(text);
      if (known !== undefined) return known;
      const found = db.one(selectWordId(text));
      return found && keep(wordIds, text, found.id);
    },
    word(id) {
      const known = words.get(id);
      if (known !== undefined) return known;
      const text = db.one(selectWord(id))?.text ?? '';
      words.set(id, text);
      return text;
    },
    streamIdFor: name => names.streamId(name) ?? keep(streamIds, name, db.insert(insertStream(name))),
    streamId(name) {
      const known = streamIds.get(name);
      if (known !== undefined) return known;
      const found = db.one(selectStreamId(name));
      return found && keep(streamIds, name, found.id);
    },
    placeFor(stream) {
      const known = places.get(stream);
      if (known !== undefined) return known;
      const id = names.streamId(stream);
      const head = id === undefined ? undefined : db.one(selectHead(id));
      const place = {
        id: id ?? names.streamIdFor(stream),
        seq: head?.last ?? 0,
        hash: head && Buffer.from(head.hash).toString('hex'),
      };
      places.set(stream, place);
      return place;
    },
    setPlace: (stream, place) => places.set(stream, place),
    forgetPlaces: () => places.clear(),
    forget() {
      for (const cache of [wordIds, streamIds, places]) cache.clear();
      words.clear();
    },
  };
  return names;
}

function keep(cache: { set(key: string, value: number): void }, key: string, id: number): number {
  cache.set(key, id);
  return id;
}
