/** A commit's text as its row holds it. */
export interface StoredText {
  readonly text: string;
  /** Null: the text is whole. Else its beginning was left out, and the hash before as well where `cut` is above 0: at that place. */
  readonly cut: number | null;
}

/** What its row and the one before say of a commit already. */
export interface KnownOfCommit {
  readonly stream: string;
  readonly first: number;
  /** Hash of the commit before, lower-case hex; undefined of a first one. */
  readonly prev: string | undefined;
}

/**
 * Leaves out of a text what is known without it: 150 bytes of a commit of 800. It is only compared, never understood: a
 * text that begins otherwise is stored whole, and `wholeText` gives back every text as it was.
 */
export function leanText(text: string, { stream, first, prev }: KnownOfCommit): StoredText {
  const beginning = beginningOf(stream, first);
  if (!text.startsWith(beginning)) return { text, cut: null };
  const at = prev === undefined ? -1 : text.indexOf(prev, beginning.length + 1);
  if (prev === undefined || at === -1) return { text: text.slice(beginning.length), cut: 0 };
  return { text: text.slice(beginning.length, at) + text.slice(at + prev.length), cut: at - beginning.length };
}

export function wholeText({ text, cut }: StoredText, { stream, first, prev = '' }: KnownOfCommit): string {
  if (cut === null) return text;
  const beginning = beginningOf(stream, first);
  return cut === 0 ? beginning + text : beginning + text.slice(0, cut) + prev + text.slice(cut);
}

function beginningOf(stream: string, first: number): string {
  return `{"stream":"${stream}","firstSeq":${first},`;
}
