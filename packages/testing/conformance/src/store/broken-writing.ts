import { type CommitBatch, type CounterChange, type EventStore, storeErrors } from '@signalbox/ports';
import { type BrokenStore, broken, committing, onConflict, sealing } from './broken-store.ts';

/** The appends as they would have to be to land now: what a store does that does not look at `expectedSeq`. */
async function rebased(batch: CommitBatch, good: EventStore): Promise<CommitBatch> {
  const appends = [];
  for (const append of batch.appends) {
    const seq = (await good.head(append.stream))?.seq ?? 0;
    appends.push({ ...append, expectedSeq: seq, lastSeq: seq + append.lastSeq - append.expectedSeq });
  }
  return { ...batch, appends };
}

const RELAXED = { sync: false } as const;

export const brokenWriting: readonly BrokenStore[] = [
  broken('lost update: the expected seq is not looked at', good => {
    let turn: Promise<unknown> = Promise.resolve();
    return {
      commit(batch, options) {
        const landing = turn.then(async () => good.commit(await rebased(batch, good), options));
        turn = landing.catch(() => {});
        return landing;
      },
    };
  }),
  broken('lost update: a stream of the same length is taken for the same', good => ({
    commit({ appends, ...rest }, options) {
      return good.commit({ ...rest, appends: appends.map(one => ({ ...one, expectedHash: undefined })) }, options);
    },
  })),
  broken('overtaking: what is followed lands after what follows it', good => ({
    async commit(batch, options) {
      if (options.followed === true) await new Promise(resolve => setTimeout(resolve, 1));
      await good.commit(batch, options);
    },
  })),
  broken('overhasty: told as written before it is there', good => ({
    async commit(batch, options) {
      options.written?.();
      await new Promise(resolve => setTimeout(resolve, 1));
      await good.commit(batch, { sync: options.sync });
    },
  })),
  broken('forgetful: told as written, refused or not', good => ({
    commit(batch, options) {
      return good.commit(batch, { sync: options.sync }).finally(options.written);
    },
  })),
  broken(
    'swallowed conflict: the commit resolves and nothing landed',
    onConflict(async () => {}),
  ),
  broken(
    'conflict retried inside: decided on an old state, landed on a new one',
    onConflict(async (batch, good) => {
      await good.commit(await rebased(batch, good), RELAXED);
    }),
  ),
  broken(
    'conflict applied in part: the rows land all the same',
    onConflict(async (batch, good, error) => {
      const { runs = [], requests = [], counters = [] } = batch;
      await good.commit({ appends: [], runs, requests, counters }, RELAXED);
      throw error;
    }),
  ),
  broken(
    'conflict without its code',
    onConflict(async () => {
      throw new Error('UNIQUE constraint failed: commits.stream, commits.last');
    }),
  ),
  broken(
    'conflict without details',
    onConflict(async (_batch, _good, error) => {
      throw Object.assign(error as Error, { details: {} });
    }),
  ),
  broken('no atomicity: one append after the other, then the rest', good => ({
    async commit({ appends, ...rest }, options) {
      for (const append of appends) await good.commit({ appends: [append] }, options);
      await good.commit({ appends: [], ...rest }, options);
    },
  })),
  broken('no atomicity: rows before the appends', good => ({
    async commit({ runs = [], ...rest }, options) {
      await good.commit({ appends: [], runs }, options);
      await good.commit(rest, options);
    },
  })),
  broken('acknowledged before it is there', good => ({
    async commit(batch, options) {
      setTimeout(() => good.commit(batch, options).catch(() => {}), 2);
    },
  })),
  broken('order of calls not kept', good => ({
    async commit(batch, options) {
      await new Promise(resolve => setTimeout(resolve, batch.appends[0]?.expectedSeq === 0 ? 3 : 0));
      await good.commit(batch, options);
    },
  })),
  broken(
    'a command id accepted twice',
    committing(async (batch, good) => {
      const commands = [];
      for (const command of batch.commands ?? []) {
        if ((await good.commandOutcome(command.stream, command.id)) === undefined) commands.push(command);
      }
      return { ...batch, commands };
    }),
  ),
  broken('command ids unique over all streams', good => ({
    commit: (batch, options) =>
      good.commit({ ...batch, commands: (batch.commands ?? []).map(command => ({ ...command, stream: '' })) }, options),
    commandOutcome: (_stream, id) => good.commandOutcome('', id),
  })),
  broken(
    'a start key accepted again with the same digest',
    committing(async (batch, good) => {
      const { startKey, ...rest } = batch;
      const known = startKey && (await good.startKey(startKey.tenant, startKey.key));
      return known !== undefined && known.digest === startKey?.digest ? rest : batch;
    }),
  ),
  broken('start keys unique over all tenants', good => ({
    commit: (batch, options) =>
      good.commit(batch.startKey ? { ...batch, startKey: { ...batch.startKey, tenant: '' } } : batch, options),
    startKey: (_tenant, key) => good.startKey('', key),
  })),
  broken(
    'a counter keeps the last of two additions in one commit',
    committing(batch => ({
      ...batch,
      counters: [...new Map((batch.counters ?? []).map(one => [`${one.tenant} ${one.key}`, one])).values()],
    })),
  ),
  broken(
    'bounds of counters not looked at',
    committing(batch => ({ ...batch, counters: (batch.counters ?? []).map(({ max: _max, ...change }) => change) })),
  ),
  broken('bounds of counters looked at before the commit, not in it', good => ({
    async commit(batch, options) {
      for (const change of batch.counters ?? []) {
        const value = await good.counter(change.tenant, change.key);
        if (value + change.add > (change.max ?? Number.POSITIVE_INFINITY)) throw storeErrors.counterFull(change, value);
      }
      const counters = (batch.counters ?? []).map(({ max: _max, ...change }) => change);
      await good.commit({ ...batch, counters }, options);
    },
  })),
  broken('bounds of counters held to the sum of a commit', good => ({
    async commit(batch, options) {
      const sums = new Map<string, CounterChange>();
      for (const change of batch.counters ?? []) {
        const key = `${change.tenant} ${change.key}`;
        sums.set(key, { ...sums.get(key), ...change, add: (sums.get(key)?.add ?? 0) + change.add });
      }
      await good.commit({ ...batch, counters: [...sums.values()] }, options);
    },
  })),
  broken('a counter of each store object for itself', good => {
    const values = new Map<string, number>();
    return {
      commit: async ({ counters = [], ...rest }, options) => {
        await good.commit(rest, options);
        for (const { tenant, key, add } of counters) {
          values.set(`${tenant} ${key}`, (values.get(`${tenant} ${key}`) ?? 0) + add);
        }
      },
      counter: async (tenant, key) => values.get(`${tenant} ${key}`) ?? 0,
    };
  }),
  broken(
    'input sorted in place',
    committing(batch => {
      for (const { assignees } of batch.requests ?? []) (assignees as string[]).sort();
      return batch;
    }),
  ),
];

export const brokenTexts: readonly BrokenStore[] = [
  broken(
    'text cut at 64 KiB',
    sealing(text => text.slice(0, 65_536)),
  ),
  broken(
    'text normalized',
    sealing(text => text.normalize('NFC')),
  ),
  broken(
    'text parsed and written anew',
    sealing(text => {
      try {
        return JSON.stringify(JSON.parse(text));
      } catch {
        return text;
      }
    }),
  ),
  broken(
    'text kept as UCS-2: no astral characters',
    sealing(text => text.replace(/[\u{10000}-\u{10ffff}]/gu, '\ufffd')),
  ),
  broken(
    'text trimmed',
    sealing(text => text.trim()),
  ),
];
