import { describe, expect, it } from 'vitest';
import { findEnd } from './find-end.ts';
import type { EndRules } from './moderator-settings.ts';
import type { Turn } from './turn.ts';

const SPEAKERS = ['ada', 'bob'];

/** `ada`, `bob` and so on in turn; `person: …` is said by a person. */
function talk(...said: readonly string[]): Turn[] {
  let spoken = 0;
  return said.map((text, index) => {
    if (text.startsWith('person: ')) return { turn: index + 1, speaker: 'person', content: text.slice(8) };
    spoken += 1;
    return { turn: index + 1, speaker: SPEAKERS[(spoken + 1) % 2]!, content: text };
  });
}

const endOf = (turns: readonly Turn[], rules: EndRules = {}) => findEnd(turns, SPEAKERS, rules);
const OPEN: EndRules = { agreement: false, noProgress: false };

describe('what is repeated', () => {
  it('ends a conversation when it is said for the third time, whoever says it, and names the turns', () => {
    const twice = talk('Use tabs.', 'Use spaces.', 'use tabs', 'What about YAML?');
    expect(endOf(twice, OPEN)).toBeUndefined();
    expect(endOf([...twice, ...talk('', '', '', '', 'USE   TABS!').slice(4)], OPEN)).toEqual({
      code: 'repeated',
      evidence: [1, 3, 5],
      reason: 'Turns 1, 3 and 5 say the same.',
    });
  });

  it.each([
    ['The cache has no limit, add one.', 'The cache has no limit; please add one.', 'The cache has no limit, add one!'],
    ['缓存没有上限，请加上一个。', '缓存没有上限，请加上一个吧。', '缓存没有上限，请加上一个'],
  ])('is found where it is nearly the same: %s', (...said) => {
    expect(endOf(talk(...said), { ...OPEN, repeated: { similarity: 0.8 } })).toMatchObject({
      code: 'repeated',
      reason: expect.stringContaining('similarity 0.'),
    });
    expect(endOf(talk(...said), { ...OPEN, repeated: { similarity: 1 } })).toBeUndefined();
  });

  it('is the text of a content that is an object, whatever its keys are', () => {
    const turns = talk('a', 'b', 'c').map(turn => ({
      ...turn,
      content: { [`key${turn.turn}`]: 'Split the function.', line: turn.turn },
    }));
    expect(endOf(turns, OPEN)).toMatchObject({ code: 'repeated' });
  });

  it('is what is alike, not what has words in common', () => {
    expect(endOf(talk('Rename the test.', 'Rename the file.', 'Remove the test.'), OPEN)).toBeUndefined();
  });

  it('counts anew behind what a person says, and not at all where that is off', () => {
    expect(endOf(talk('Go.', 'Go.', 'person: Why?', 'Go.', 'Go.'), OPEN)).toBeUndefined();
    expect(endOf(talk('Go.', 'Go.', 'Go.'), { ...OPEN, repeated: false })).toBeUndefined();
  });
});

describe('a loop of agreement', () => {
  it.each([
    [
      'English',
      ['The cache needs a limit.', 'I agree.', 'Yes, good point, the cache needs a limit.', 'Exactly, thanks Ada!'],
    ],
    ['Chinese', ['缓存需要上限。', '我完全同意。', '是的，缓存需要上限。', '没错，说得对！']],
  ])('is turns of several speakers that confirm and say nothing new, in %s', (_, said) => {
    expect(endOf(talk(...said.slice(0, 3)))).toBeUndefined();
    expect(endOf(talk(...said))).toMatchObject({ code: 'agreementLoop', evidence: [2, 3, 4] });
  });

  it.each([
    ['news', 'Agreed, and the index is off by one.', '同意，另外索引差一位。'],
    ['a reservation', 'Yes, but the cache needs a limit.', '是的，但是缓存需要上限。'],
    ['a denial', 'I do not agree.', '我不同意。'],
    ['a question', 'Right, the cache?', '对，缓存？'],
    ['no agreement', 'The cache needs a limit.', '缓存需要上限。'],
  ])('is broken by %s', (_, english, chinese) => {
    expect(endOf(talk('The cache needs a limit.', 'I agree.', english, 'Yes.'))).toBeUndefined();
    expect(endOf(talk('缓存需要上限。', '我同意。', chinese, '是的。'))).toBeUndefined();
  });

  it('is broken by a person, needs two speakers, and is as long as it is said to be', () => {
    expect(endOf(talk('It needs a limit.', 'Agreed.', 'person: And tests?', 'Yes.', 'Right.'))).toBeUndefined();
    const alone = talk('Sure.', 'Yes.', 'Right.').map(turn => ({ ...turn, speaker: 'ada' }));
    expect(endOf(alone)).toBeUndefined();
    expect(endOf(talk('It needs a limit.', 'Agreed.', 'Yes.'), { agreement: 2 })).toMatchObject({ evidence: [2, 3] });
    expect(endOf(talk('It needs a limit.', 'Agreed.', 'Yes.', 'Right.'), { agreement: false })).toBeUndefined();
  });

  it('is not seen where a word only looks like agreement', () => {
    const rules: EndRules = { repeated: false };
    expect(
      endOf(talk('Copyright notices.', 'Copyright!', 'The copyright.', 'Copyright notices!'), rules),
    ).toBeUndefined();
    expect(endOf(talk('对象太大。', '对象！', '这个对象。', '对象太大！'), rules)).toBeUndefined();
  });
});

describe('no progress', () => {
  it('is a row of turns without a word that was not said before', () => {
    const said = ['Tabs or spaces first?', 'Spaces first.', 'Tabs first!', 'First tabs, or spaces.'];
    expect(endOf(talk(...said), { noProgress: 3 })).toMatchObject({ code: 'noProgress', evidence: [2, 3, 4] });
    expect(endOf(talk(...said), { noProgress: 4 })).toBeUndefined();
    expect(endOf(talk(...said, 'Tabs and braces.'), { noProgress: 3 })).toBeUndefined();
  });
});

describe('the limit', () => {
  it('counts turns of speakers, and what a person says does not begin it anew', () => {
    const said = ['One.', 'person: Go on.', 'Two.', 'person: Go on!', 'Three.'];
    expect(endOf(talk(...said), { maxTurns: 3 })).toMatchObject({ code: 'turnLimit' });
    expect(endOf(talk(...said), { maxTurns: 4 })).toBeUndefined();
    expect(endOf(talk(...said, 'person: More!'), { maxTurns: 3 })).toMatchObject({ code: 'turnLimit' });
    expect(endOf([])).toBeUndefined();
  });
});
