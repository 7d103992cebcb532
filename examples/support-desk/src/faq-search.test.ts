import { describe, expect, it } from 'vitest';
import { createFaqSearch, readFaq } from './faq-search.ts';

const entries = readFaq();
const faq = createFaqSearch(entries);

describe('the FAQ search', () => {
  it.each([
    ['When do you open on Saturday?', 'opening-hours'],
    ['Can you ship to Japan?', 'shipping-abroad'],
    ['How do I reset my password', 'password'],
    ['who pays the postage if I return something', 'return-cost'],
    ['could you explain how the warranty works please', 'warranty'],
    ['Are the cups dishwasher safe?', 'care-mugs'],
    ['周末几点开门？', 'opening-hours'],
    ['能寄到国外吗', 'shipping-abroad'],
    ['忘記密碼怎麼辦', 'password'],
    ['我可以开增值税发票吗？', 'invoice'],
    ['积分会过期吗？', 'loyalty'],
  ])('answers "%s" with %s first', (query, id) => {
    expect(faq.search(query)[0]?.id).toBe(id);
  });

  it('finds every entry by its own question, in both languages', () => {
    for (const entry of entries) {
      for (const lang of ['en', 'zh'] as const) {
        expect(faq.search(entry[lang].question)[0]).toMatchObject({ id: entry.id, lang, answer: entry[lang].answer });
      }
    }
  });

  it.each([
    'Who won the football match last night?',
    'asdf qwer',
    'how do you do?',
    '',
    '火星上有生命吗？',
    '龘靐齉齾',
  ])('finds nothing about "%s"', query => {
    expect(faq.search(query)).toEqual([]);
  });

  it('gives the best hits first and no more than asked for', () => {
    const hits = faq.search('how long do delivery and refund take', 2);
    expect(hits).toHaveLength(2);
    expect(hits[0]!.score).toBeGreaterThanOrEqual(hits[1]!.score);
  });
});
