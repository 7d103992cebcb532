import { describe, expect, it } from 'vitest';
import { buildLog } from './testing/build-log.ts';
import { DESK, FORK, LOOP, NESTED } from './testing/graphs.ts';
import { trail } from './trail.ts';

const lowConfidence = { intent: 'faq', confidence: 0.4 };
const faq = { intent: 'faq', confidence: 0.9 };

describe('the trail of a run', () => {
  it('names the nodes, the status and the time it took', async () => {
    const log = buildLog(DESK, { message: 'Hi' })
      .succeed('classify', faq)
      .wait(38)
      .succeed('faq', 'x')
      .succeed('reply', 'y');
    expect(await trail(log.commits)).toBe('classify → faq → reply (completed, 41 ms)');
  });

  it('marks the node that waits for an answer, and no more once it is answered', async () => {
    const log = buildLog(DESK, { message: 'Hi' }).succeed('classify', lowConfidence);
    expect(await trail(log.commits)).toBe('classify → handoff? (suspended)');
    log.answer('approve', { queue: 'billing' });
    expect(await trail(log.commits)).toBe('classify → handoff → reply… (running, 2 ms)');
  });

  it('marks what failed and tells the code', async () => {
    const log = buildLog(DESK, { message: 'Hi' }).succeed('classify', faq).succeed('faq', 'x');
    log.fail('reply', { code: 'Down', message: 'no' });
    expect(await trail(log.commits)).toBe('classify → faq → reply! (failed: Down, 3 ms)');
  });

  it('marks a node that waits for another attempt', async () => {
    const log = buildLog(DESK, { message: 'Hi' }).succeed('classify', faq).fail('faq', { code: 'Down', message: 'no' });
    expect(await trail(log.commits)).toBe('classify → faq? (suspended)');
    log.wait(5_000).send({ type: 'tick' }).succeed('faq', 'x').succeed('reply', 'y');
    expect(await trail(log.commits)).toBe('classify → faq → reply (completed, 5 s)');
  });

  it('shows parallel branches side by side, in the order of the graph', async () => {
    const log = buildLog(FORK, {}).succeed('a', 1).succeed('d', 1).succeed('b', 1);
    expect(await trail(log.commits)).toBe('a → (b → c… | d) (running, 3 ms)');
    log.succeed('c', 1).succeed('j', 1);
    expect(await trail(log.commits)).toBe('a → (b → c | d) → j (completed, 5 ms)');
  });

  it('counts the items of a map and shows what a subgraph ran', async () => {
    const log = buildLog(NESTED, { items: [1, 2] }).succeed('body', 1);
    log.fail('body', { code: 'Bad', message: 'no' });
    expect(await trail(log.commits)).toBe('each[2, 1 failed] → order… { check… } (running, 2 ms)');
    log.succeed('check', 1).succeed('pay', 1).succeed('end_', 1);
    expect(await trail(log.commits)).toBe('each[2, 1 failed] → order { check → pay } → end_ (completed, 5 ms)');
  });

  it('tells a jump from a route', async () => {
    const log = buildLog(DESK, { message: 'Hi' }).succeed('classify', lowConfidence);
    log.send({ type: 'jump', to: 'reply', reason: 'known' });
    expect(await trail(log.commits)).toBe('classify → handoff✗ ⇢ reply… (running, 2 ms)');
  });

  it('marks what a rollback gave up, and keeps what holds a scope that stands again', async () => {
    const log = buildLog(DESK, { message: 'Hi' }).succeed('classify', lowConfidence);
    const waiting = log.run();
    log.send({ type: 'rollback', to: waiting.seq, past: waiting, effects: 'ask', reason: 'again' });
    expect(await trail(log.commits)).toBe('classify → handoff✗ ⇢ handoff? (suspended)');
    const nested = buildLog(NESTED, { items: [] });
    const inside = nested.run();
    nested.send({ type: 'rollback', to: inside.seq, past: inside, effects: 'ask', reason: 'again' });
    expect(await trail(nested.commits)).toBe('each[0] → order… { check✗ ⇢ check… } (running, 1 ms)');
  });

  it('counts a node visited many times in a row, and leaves out the middle of a long way', async () => {
    const log = buildLog(LOOP, {});
    for (let index = 0; index < 5; index += 1) log.succeed('poll', 'again');
    log.succeed('poll', 'stop');
    expect(await trail(log.commits)).toBe('poll ×6 (completed, 6 ms)');
    const long = buildLog(LOOP, {});
    for (let index = 0; index < 100; index += 1) long.succeed('poll', 'other').succeed('other', 1);
    const line = await trail(long.commits);
    expect(line).toContain(' → … 161 more … → ');
    expect(line.match(/other/g)).toHaveLength(20);
  });
});
