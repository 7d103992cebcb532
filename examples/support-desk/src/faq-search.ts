import { isChinese, readJsonLines, tokenize, wordsOf } from '@signalbox/example-shared';
import MiniSearch from 'minisearch';
import { z } from 'zod';

const wordingSchema = z.strictObject({
  question: z.string().min(1),
  answer: z.string().min(1),
  keywords: z.array(z.string().min(1)).min(1),
});
const entrySchema = z.strictObject({ id: z.string().min(1), en: wordingSchema, zh: wordingSchema });

/** A question of the shop's FAQ with its answer, in both languages. */
export type FaqEntry = z.infer<typeof entrySchema>;

export interface FaqHit {
  readonly id: string;
  readonly lang: 'en' | 'zh';
  readonly question: string;
  readonly answer: string;
  /** BM25+ over question, keywords and answer: orders the hits of one query, says nothing across queries. */
  readonly score: number;
  /** Share of the query's telling words, 0 to 1, that question, keywords or answer hold. */
  readonly coverage: number;
}

export interface FaqSearch {
  /** Best hits first, in the language of the query; empty when nothing of the FAQ is about it. */
  search(query: string, limit?: number): FaqHit[];
}

// A hit that holds fewer of the query's telling words is about something else.
const LEAST_COVERAGE = 0.4;

// Words that nearly every question holds, and so tell nothing about its subject.
const FILLERS = new Set([
  ...wordsOf(`a an the i you he she it we they me my your our us is are am was be been do does did can could will would
    should shall may have has had get to of in on at for from by with and or but if as this that there what which how
    who why please tell know want need like much many any some about hello hi thanks thank explain work offer possible`),
  ...tokenize(
    '的 了 吗 呢 吧 啊 我 你 您 他 们 我们 你们 请 请问 可以 能 能不能 怎么 怎样 什么 是 在 有 要 想 会 和 这 那 这个 那个 个 帮 给 哪',
  ),
  '#',
]);

// Single characters count only where they are a word by themselves: they are too common otherwise.
function termsOf(text: string): string[] {
  const words = new Set(wordsOf(text));
  return tokenize(text).filter(token => !FILLERS.has(token) && (words.has(token) || [...token].length > 1));
}

const tellingWords = (text: string) => wordsOf(text).filter(word => !FILLERS.has(word));

interface Page {
  readonly id: string;
  readonly lang: 'en' | 'zh';
  readonly entry: string;
  readonly question: string;
  readonly answer: string;
  readonly keywords: string;
}

function toPages(entry: FaqEntry): Page[] {
  return (['en', 'zh'] as const).map(lang => {
    const { question, answer, keywords } = entry[lang];
    return { id: `${entry.id}/${lang}`, entry: entry.id, lang, question, answer, keywords: keywords.join(' ') };
  });
}

/** The entries of `data/faq.jsonl`. @throws DataFileError */
export function readFaq(): FaqEntry[] {
  return readJsonLines(new URL('../data/faq.jsonl', import.meta.url), entrySchema);
}

/** A full-text index over the entries, whose ids must differ. */
export function createFaqSearch(entries: readonly FaqEntry[]): FaqSearch {
  const pages = new Map(entries.flatMap(toPages).map(page => [page.id, page]));
  const index = new MiniSearch<Page>({
    fields: ['question', 'keywords', 'answer'],
    tokenize: termsOf,
    processTerm: term => term,
    searchOptions: { boost: { question: 3, keywords: 2 } },
  });
  index.addAll([...pages.values()]);

  return {
    search(query, limit = 3) {
      const lang = isChinese(query) ? 'zh' : 'en';
      const telling = tellingWords(query);
      return index
        .search(query, { filter: hit => pages.get(hit.id)?.lang === lang })
        .flatMap((hit): FaqHit[] => {
          const page = pages.get(hit.id);
          const text = page === undefined ? '' : `${page.question} ${page.keywords} ${page.answer}`;
          const held = new Set(tokenize(text));
          const coverage = telling.filter(word => held.has(word)).length / Math.max(1, telling.length);
          if (page === undefined || coverage < LEAST_COVERAGE) return [];
          const { entry: id, question, answer } = page;
          return [{ id, lang, question, answer, score: hit.score, coverage }];
        })
        .slice(0, limit);
    },
  };
}
