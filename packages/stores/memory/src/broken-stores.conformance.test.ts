import { type BrokenStore, brokenStores, type Check, storeChecks } from '@signalbox/conformance';
import { describe, expect, it } from 'vitest';
import { createMemoryData } from './memory-data.ts';
import { createMemoryStore } from './memory-store.ts';

function checkNamed(name: string | undefined, { breakStore }: BrokenStore): Check | undefined {
  const factory = () => {
    const shared = createMemoryData({ chain: true });
    return { open: () => breakStore(createMemoryStore({ shared })) };
  };
  return storeChecks(factory, { durable: false }).find(check => check.name === name);
}

/** For each defect the check that must see it; others may see it too. */
const SEEN_BY: Readonly<Record<string, string>> = {
  'lost update: the expected seq is not looked at': 'of two appends that race exactly one lands, and stands',
  'lost update: a stream of the same length is taken for the same':
    'an append to a stream that others have brought to the same length is refused',
  'overtaking: what is followed lands after what follows it':
    'commits that are followed by more land in the order of the calls',
  'overhasty: told as written before it is there':
    'a commit of which is told that it is written is there for other store objects',
  'forgetful: told as written, refused or not': 'a commit that is refused is not told as written',
  'swallowed conflict: the commit resolves and nothing landed': 'of forty appends that race exactly one lands',
  'conflict retried inside: decided on an old state, landed on a new one':
    'an append that expects less than there is is refused',
  'conflict applied in part: the rows land all the same': 'a conflict of the last append leaves nothing of the batch',
  'conflict without its code': 'an append that expects less than there is is refused',
  'conflict without details': 'a conflict names the stream, the seq expected and the actual one',
  'no atomicity: one append after the other, then the rest':
    'a conflict of the last append leaves nothing of the batch',
  'no atomicity: rows before the appends': 'a conflict of the first append leaves nothing of the batch',
  'acknowledged before it is there': 'what was committed is read at once',
  'order of calls not kept': 'appends called one after the other without waiting land in that order',
  'a command id accepted twice': 'a command id is taken once in its stream, and the first outcome stays',
  'command ids unique over all streams': 'streams have command ids of their own',
  'a start key accepted again with the same digest':
    'a start key is taken once in its tenant, also with the same digest',
  'start keys unique over all tenants': 'tenants have start keys of their own',
  'a counter keeps the last of two additions in one commit': 'a counter adds up, over commits and within one',
  'a counter of each store object for itself': 'a counter adds up over store objects that write at once',
  'input sorted in place': 'what is handed in is not changed',
  'text cut at 64 KiB': 'text of one character and text of 1 MB are kept',
  'text normalized': 'text is not normalized: composed and decomposed stay as they are',
  'text parsed and written anew': 'numbers are kept as they are spelt',
  'text kept as UCS-2: no astral characters': 'scripts, emoji and escapes are kept to the byte',
  'text trimmed': 'white space, line ends and a byte order mark are kept',
  'commits out of order': 'fifty commits stand without a gap, in order',
  'a commit begun before the asked seq left out': 'reading from the middle of a commit gives that commit',
  'phantom order: the feed goes by stream': 'the feed gives all streams in the order of committing',
  'the feed skips a commit between two pages': 'pages of any size give the same feed',
  'the feed repeats the last commit of a page': 'pages of any size give the same feed',
  'something appears before a cursor: a commit shown late':
    'nothing appears before a cursor while commits are coming in',
  'one feed cursor for all commits of a page': 'the cursor of each commit goes on right behind it',
  'a feed end that leaves out the last commit': 'the end of the feed goes on with what comes later alone',
  'the feed takes any cursor': 'a cursor that the feed did not give out is refused as InvalidCursor',
  'a head remembered, whatever others write': 'a store object that has written is refused after another one wrote',
  'a prefix read as a pattern': 'a prefix has no wildcards',
  'runs of all tenants': 'a tenant sees its own runs only',
  'requests filtered by their first assignee alone':
    'an inbox holds what is assigned to any of the names, and to nobody',
  'requests of nobody in nobody’s inbox': 'an inbox of no names holds what is assigned to nobody',
  'a row lost between two pages of runs': 'pages of runs give each run once, in order, also among equal times',
  'a row lost between two pages of requests': 'pages of an inbox give each request once',
  'no status taken for every status': 'no status finds no run',
  'a null column kept from the row before': 'a new row moves and clears the time',
  'due too early, by a second': 'a run is due at its time and after it, not before',
  'times cut to 32 bits': 'times years ahead are kept to the millisecond',
  'due runs of which only the first page is known':
    'all due runs are found page by page, also those of one time, and one alone by its id',
  'leases ignored': 'a run whose owner holds a live lease is due to that owner alone',
  'leases that never end': 'a lease ends at its time',
  'leases that bind their own holder': 'a run whose owner holds a live lease is due to that owner alone',
  'an erased payload still served': 'an erased payload is undefined, and known as erased',
  'a payload that cannot be replaced': 'a payload is replaced where it is there, for its tenant alone',
  'a payload that is brought by what is to replace it': 'a payload is replaced where it is there, for its tenant alone',
  'an erased payload forgotten': 'an erased payload is undefined, and known as erased',
  'a payload erased for every tenant': 'a payload is erased for its tenant alone',
  'all snapshots dropped for some': 'some snapshots are dropped alone, and the chunks of the others stay',
  'a snapshot newer than asked for': 'no snapshot is newer than asked for',
  'chunks dropped with the next snapshot': 'chunks of earlier snapshots stay for later ones',
  'bounds of counters not looked at':
    'a change that would bring a counter over its bound is a conflict, and nothing of its commit lands',
  'bounds of counters looked at before the commit, not in it':
    'a bound is never passed by store objects that write at once',
  'bounds of counters held to the sum of a commit': 'changes of one commit are held to their bounds in order',
  'a document that can be changed': 'a document never changes',
  'a label that cannot be moved': 'a label points to what it was last set to',
  'open after closing': 'after closing every call rejects with StoreClosed',
  'nobody told of foreign commits': 'a commit of another store object is told soon, one’s own is not',
  'told without end': 'who has stopped listening is told no more',
  'rows handed out shared': 'rows handed out are the caller’s own',
  'reads remembered, whatever others write': 'rows, keys and content that another store object replaced are read anew',
};

describe('the suite rejects a store with', () => {
  it.each(brokenStores.map(broken => ({ broken, seenBy: SEEN_BY[broken.name] })))(
    '$broken.name: "$seenBy"',
    async ({ broken, seenBy }) => {
      const check = checkNamed(seenBy, broken);
      expect(check).toBeDefined();
      await expect(check?.run()).rejects.toThrow();
    },
  );

  it('at least fifteen different defects', () => {
    expect(new Set(brokenStores.map(({ name }) => name)).size).toBeGreaterThanOrEqual(15);
  });
});
