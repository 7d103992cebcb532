import assert from 'node:assert/strict';
import type { EventStore } from '@signalbox/ports';
import { appendText, assertAllStored, land, requestRow, runRow } from './make.ts';
import { check, checkFor, type StoreCheck } from './store-check.ts';

async function keeps(store: EventStore, texts: readonly string[]): Promise<void> {
  const appended = texts.map((text, index) => appendText('run_a', index, text));
  for (const one of appended) await land(store, { appends: [one] });
  assertAllStored(store, await store.read('run_a'), appended);
}

/** What stores are known to alter. The backslash-u-0000 is six characters. */
export const HARD_TEXTS: readonly string[] = [
  '"审批通过 🎉 ok"',
  '"👩‍👩‍👧‍👦 🇨🇭 \u{10ffff} \ue000"',
  '"שלום مرحبا"',
  String.raw`"a\u0000b \ud83d \\ \" \/ \n"`,
  '"審批\n\t\u0001\u001f\u007f"',
];

export const textChecks: readonly StoreCheck[] = [
  checkFor('chained', 'scripts, emoji and escapes are kept to the byte', ({ store }) => keeps(store, HARD_TEXTS)),
  checkFor('chained', 'text is not normalized: composed and decomposed stay as they are', ({ store }) =>
    keeps(store, ['"\u00e9"', '"e\u0301"', '"\u212b \u00c5 A\u030a"', '"\ufb01"']),
  ),
  checkFor('chained', 'white space, line ends and a byte order mark are kept', ({ store }) =>
    keeps(store, [' {} ', '{}\r\n', '\n{}\n\n', '\ufeff{}', '"\u2028\u2029"', '\t']),
  ),
  checkFor('chained', 'numbers are kept as they are spelt', ({ store }) =>
    keeps(store, ['1.0', '1e2', '-0', '12345678901234567890', '0.1000']),
  ),
  checkFor('chained', 'text of one character and text of 1 MB are kept', ({ store }) =>
    keeps(store, ['1', `"${'x'.repeat(1_048_576)}"`, '2']),
  ),
  checkFor('chained', 'text of 1 MB of emoji is kept', ({ store }) => keeps(store, [`"${'🎉'.repeat(262_144)}"`])),
  checkFor('chained', 'text around the sizes of pages is kept', ({ store }) =>
    keeps(
      store,
      [100, 1000, 4000, 4061, 4095, 4096, 8192, 65_535, 65_536, 65_537].map(size => 'é'.repeat(size / 2)),
    ),
  ),
  check('C26 rows and keys keep the pair, the six characters and the control characters', async ({ store }) => {
    for (const [index, text] of HARD_TEXTS.entries()) {
      const [run, request] = [
        runRow(`run_${index}${text}`, { key: text, reason: text }),
        requestRow(`req_${index}${text}`, { title: text }),
      ];
      await land(store, { runs: [run], requests: [request], commands: [{ stream: text, id: text, outcome: text }] });
      assert.deepEqual({ ...(await store.run(run.runId)) }, run);
      assert.deepEqual({ ...(await store.request(request.requestId)) }, request);
      assert.equal(await store.commandOutcome(text, text), text);
    }
  }),
  check('C26 payloads, documents, snapshots and chunks keep every text', async ({ store }) => {
    const texts = [...HARD_TEXTS, 'x'.repeat(300_000), '🎉'.repeat(50_000), '1'];
    for (const [index, text] of texts.entries()) {
      const digest = `d${index}`;
      await land(store, {
        payloads: [{ tenant: 'default', digest, text }],
        documents: [{ kind: 'prompt', name: 'p', hash: digest, createdAt: index, text }],
      });
      await store.saveSnapshot({ stream: 'run_a', seq: index + 1, format: 1, body: text }, [{ id: digest, text }]);
      assert.ok((await store.payload('default', digest)) === text, `payload ${index} differs`);
      assert.ok((await store.document('prompt', digest)) === text, `document ${index} differs`);
      assert.ok((await store.snapshot('run_a'))?.body === text, `snapshot ${index} differs`);
      assert.ok((await store.chunks('run_a', [digest]))[0]?.text === text, `chunk ${index} differs`);
    }
  }),
];
