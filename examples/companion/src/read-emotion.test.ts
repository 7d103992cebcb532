import { describe, expect, it } from 'vitest';
import { createEmotionReader, readEmotions } from './read-emotion.ts';

const emotionOf = createEmotionReader(readEmotions());

describe('the mood of a text', () => {
  it.each([
    ['I am so tired and sad', 'low', ['sad', 'tired']],
    ['The deadline makes me nervous', 'tense', ['nervous', 'deadline']],
    ['What a wonderful day', 'glad', ['wonderful']],
    ['我今天很难过', 'low', ['难过']],
    ['压力好大，好紧张', 'tense', ['压力', '紧张']],
    ['太好了，我很开心', 'glad', ['开心', '太好了']],
  ])('"%s" is %s', (text, mood, words) => {
    expect(emotionOf(text)).toEqual({ mood, words });
  });

  it.each(['Where is my lamp?', 'I am not sad', 'sadness is a word', '我不难过', ''])('"%s" tells nothing', text => {
    expect(emotionOf(text)).toEqual({ mood: 'neutral', words: [] });
  });
});
