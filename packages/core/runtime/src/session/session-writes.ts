import type { SessionWrites } from '@signalbox/kernel';

/** One after the other: what is written later stands. */
export function withWrites(before: SessionWrites | undefined, more: SessionWrites): SessionWrites {
  const { messages = [], set = {}, remove = [] } = before ?? {};
  const added = more.set ?? {};
  const removed = more.remove ?? [];
  const kept = Object.entries(set).filter(([key]) => !removed.includes(key));
  return {
    messages: [...messages, ...(more.messages ?? [])],
    set: { ...Object.fromEntries(kept), ...added },
    remove: [...new Set([...remove, ...removed])].filter(key => !Object.hasOwn(added, key)),
  };
}
