import type { EventStore } from '@signalbox/ports';
import { type BrokenStore, broken, committing } from './broken-store.ts';

export const brokenContent: readonly BrokenStore[] = [
  broken('an erased payload still served', good => {
    const texts = new Map<string, string>();
    return {
      payload: async (tenant, digest) => {
        const text = (await good.payload(tenant, digest)) ?? texts.get(`${tenant} ${digest}`);
        if (text !== undefined) texts.set(`${tenant} ${digest}`, text);
        return text;
      },
    };
  }),
  broken('a payload that cannot be replaced', good => ({
    commit: ({ replacements: _, ...rest }, options) => good.commit(rest, options),
  })),
  broken('a payload that is brought by what is to replace it', good => ({
    commit: ({ payloads = [], replacements = [], ...rest }, options) =>
      good.commit({ ...rest, replacements, payloads: [...payloads, ...replacements] }, options),
  })),
  broken('an erased payload forgotten', () => ({ payloadErased: async () => false })),
  broken('a payload erased for every tenant', good => ({
    commit: ({ payloads = [], erasures = [], ...rest }, options) => {
      const everywhere = { tenant: 'everywhere' };
      const [put, erase] = [
        payloads.map(one => ({ ...one, ...everywhere })),
        erasures.map(one => ({ ...one, ...everywhere })),
      ];
      return good.commit({ ...rest, payloads: put, erasures: erase }, options);
    },
    payload: (_tenant, digest) => good.payload('everywhere', digest),
    payloadErased: (_tenant, digest) => good.payloadErased('everywhere', digest),
  })),
  broken('all snapshots dropped for some', good => ({ dropSnapshots: stream => good.dropSnapshots(stream) })),
  broken('a snapshot newer than asked for', good => ({ snapshot: stream => good.snapshot(stream) })),
  broken('chunks dropped with the next snapshot', good => ({
    saveSnapshot: async (snapshot, chunks) => {
      await good.dropSnapshots(snapshot.stream);
      await good.saveSnapshot(snapshot, chunks);
    },
  })),
  broken('a document that can be changed', good => {
    const texts = new Map<string, string>();
    return {
      commit: async (batch, options) => {
        await good.commit(batch, options);
        for (const { kind, hash, text } of batch.documents ?? []) texts.set(`${kind} ${hash}`, text);
      },
      document: async (kind, hash) => texts.get(`${kind} ${hash}`) ?? good.document(kind, hash),
    };
  }),
  broken(
    'a label that cannot be moved',
    committing(async (batch, good) => {
      const labels = [];
      for (const row of batch.labels ?? []) {
        if ((await good.label(row.tenant, row.kind, row.name, row.label)) === undefined) labels.push(row);
      }
      return { ...batch, labels };
    }),
  ),
];

export const brokenLives: readonly BrokenStore[] = [
  broken('open after closing', () => ({ close: async () => {} })),
  broken('nobody told of foreign commits', () => ({ onForeignCommit: () => () => {} })),
  broken('told without end', good => ({
    onForeignCommit: fn => {
      good.onForeignCommit(fn);
      return () => {};
    },
  })),
  broken('rows handed out shared', good => {
    const rows = new Map<string, Awaited<ReturnType<EventStore['run']>>>();
    return {
      run: async runId => {
        const fresh = await good.run(runId);
        const key = JSON.stringify(fresh);
        return rows.get(key) ?? rows.set(key, fresh).get(key);
      },
    };
  }),
  broken('reads remembered, whatever others write', good => {
    const runs = new Map<string, Awaited<ReturnType<EventStore['run']>>>();
    return {
      run: async runId => runs.get(runId) ?? runs.set(runId, await good.run(runId)).get(runId),
      commit: async (batch, options) => {
        await good.commit(batch, options);
        for (const { runId } of batch.runs ?? []) runs.delete(runId);
      },
    };
  }),
];
