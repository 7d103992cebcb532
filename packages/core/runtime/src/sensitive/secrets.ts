import { hasKey, isJsonObject, type JsonObject, type JsonValue, MASK } from '@signalbox/kernel';

import { SignalSchemas } from './signal-schemas.ts';

/** A sensitive value, and the key it stood under. */
export interface Secret {
  readonly value: string | number | boolean | null;
  readonly name?: string;
  /** A digest of something sensitive, from which that could be guessed; it is shown under the key of the run. */
  readonly digest?: true;
}

/** From these lengths on a value is found inside texts; digits turn up by chance sooner than letters. */
const FOUND_WITHIN = { string: 4, number: 6 };
/** From these on it is found where it is a whole value, whatever its key; a shorter one only under the key it was marked under. */
const FOUND_WHOLE = { string: 3, number: 4 };
/** As the kernel and the journal write digests. */
const DIGEST = /sha256:[0-9a-f]{64}|(?<![0-9a-f])[0-9a-f]{16}(?![0-9a-f])/g;
/** A text that is cut shows no more of a secret than this. */
const BEGINNING = 32;

/**
 * What is known to be sensitive in a run, so that it is masked wherever it turns up: in an output, an error, a message.
 *  1. It only grows: what was sensitive once stays so.
 *  2. A digest is shown as another one, which is equal where it is and only who has the key of the run can make.
 *  3. What was learned since the last commit with a sealed value is `news`, and is sealed with the next one.
 */
export class Secrets {
  readonly #known = new Map<string, Secret>();
  readonly #values = new Set<string>();
  readonly #whole = new Set<string>();
  readonly #named = new Map<string, Set<string>>();
  readonly #within = new Set<string>();
  /** The same by what they begin with. */
  readonly #byFirst = new Map<string, string[]>();
  readonly #digests = new Set<string>();
  #keyed: ((digest: string) => string) | undefined;
  #pattern: RegExp | undefined;
  #news: Secret[] = [];
  /** The sensitive fields of open requests. */
  readonly #fields = new Map<string, ReadonlySet<string>>();
  /** Of signals that handlers wait for. */
  readonly signals = new SignalSchemas();

  get isEmpty(): boolean {
    return this.#known.size === 0;
  }

  /** Each of them is found inside texts, too. */
  get areFoundWithin(): boolean {
    return [...this.#known.values()].every(({ value }) => isFoundWithin(value));
  }

  /** Learns what is in `value` and not in its masked form. */
  learn(value: JsonValue, shown: JsonValue = MASK, name?: string): void {
    if (shown === value) return;
    if (Array.isArray(value)) for (const [at, item] of value.entries()) this.learn(item, partOf(shown, at), name);
    else if (isJsonObject(value))
      for (const [key, member] of Object.entries(value)) this.learn(member, partOf(shown, key), key);
    else this.#add({ value: value as Secret['value'], ...(name === undefined ? {} : { name }) }, true);
  }

  /** A digest of something that is known to be sensitive. */
  learnDigest(digest: string): void {
    this.#add({ value: digest, digest: true }, true);
  }

  /** Learns the digest where what it is of is known to be sensitive, in whole or in part. */
  learnDigestOf(value: JsonValue | undefined, digest: string): void {
    if (!this.isEmpty && value !== undefined && this.masked(value) !== value) this.learnDigest(digest);
  }

  /** How digests are shown: under the present key of the run. */
  keyedBy(keyed: (digest: string) => string): void {
    this.#keyed = keyed;
  }

  /** How a digest of something sensitive is shown. */
  keyed(digest: string): string {
    return this.#keyed?.(digest) ?? MASK;
  }

  /** A digest as it is shown; itself where it is of nothing sensitive. */
  shownDigest(digest: string): string {
    return this.#digests.has(digest) ? this.keyed(digest) : digest;
  }

  /** The digest that is shown so; itself where none is. */
  digestShownAs(shown: string): string {
    for (const digest of this.#digests) if (this.keyed(digest) === shown) return digest;
    return shown;
  }

  /** What a sealed value said. */
  know(secrets: readonly Secret[]): void {
    for (const secret of secrets) this.#add(secret, false);
  }

  /** What another knew, whose commits may not have landed. */
  adopt(other: Secrets): void {
    for (const secret of other.#known.values()) this.#add(secret, true);
    for (const [request, fields] of other.#fields) this.#fields.set(request, fields);
    this.signals.adopt(other.signals);
  }

  takeNews(): readonly Secret[] {
    const news = this.#news;
    this.#news = [];
    return news;
  }

  asks(request: string, fields: ReadonlySet<string>): void {
    if (fields.size > 0) this.#fields.set(request, fields);
  }

  /** A question with sensitive fields was asked. */
  get areAsked(): boolean {
    return this.#fields.size > 0;
  }

  fieldsOf(request: string): ReadonlySet<string> | undefined {
    return this.#fields.get(request);
  }

  /** The value itself where nothing in it is known as sensitive. */
  masked<Value>(value: Value, name?: string): Value {
    return (this.isEmpty ? value : this.#mask(value as JsonValue, name)) as Value;
  }

  /** The same with each value masked that is known, however short it is and whatever it stood under. */
  maskedAnywhere(value: JsonValue): JsonValue {
    if (this.isEmpty) return value;
    if (Array.isArray(value)) return value.map(item => this.maskedAnywhere(item));
    if (isJsonObject(value))
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.maskedAnywhere(item)]));
    return this.#values.has(JSON.stringify(value)) ? MASK : this.masked(value);
  }

  /** A text for people with what is sensitive masked. */
  maskedText(text: string): string {
    const masked = this.#pattern === undefined ? text : text.replace(this.#pattern, MASK);
    return this.#digests.size === 0 ? masked : masked.replace(DIGEST, found => this.shownDigest(found));
  }

  /**
   * Of a text of which more may come, what can be shown masked by now, and what may yet become something sensitive. The
   * parts of a text shown so make the whole masked.
   */
  maskedBeginning(text: string): { readonly shown: string; readonly held: string } {
    let shown = '';
    let from = 0;
    for (;;) {
      const found = this.#find(text, from);
      const open = this.#openEnd(text, from);
      // Where it is found it may still become a longer one.
      if (found === undefined || open <= found.index)
        return { shown: shown + text.slice(from, open), held: text.slice(open) };
      shown += text.slice(from, found.index) + MASK;
      from = found.index + found[0].length;
    }
  }

  #find(text: string, from: number): RegExpExecArray | undefined {
    if (this.#pattern === undefined) return undefined;
    this.#pattern.lastIndex = from;
    return this.#pattern.exec(text) ?? undefined;
  }

  /** From where on the end of a text is the beginning of a longer text that is sensitive. */
  #openEnd(text: string, from: number): number {
    for (let at = from; at < text.length; at += 1) {
      const forms = this.#byFirst.get(text[at]!);
      if (forms === undefined) continue;
      const end = text.slice(at);
      if (forms.some(form => form.length > end.length && form.startsWith(end))) return at;
    }
    return text.length;
  }

  #mask(value: JsonValue, name: string | undefined): JsonValue {
    if (Array.isArray(value)) {
      const items = value.map(item => this.#mask(item, name));
      return items.some((item, at) => item !== value[at]) ? items : value;
    }
    if (isJsonObject(value)) return this.#maskMembers(value);
    if (name !== undefined && this.#named.get(lastOf(name))?.has(JSON.stringify(value))) return MASK;
    if (typeof value === 'number') return this.#whole.has(String(value)) ? MASK : value;
    if (typeof value !== 'string') return value;
    return this.#whole.has(value) ? MASK : this.maskedText(value);
  }

  #maskMembers(value: JsonObject): JsonObject {
    let isSame = true;
    const members = Object.entries(value).map(([key, member]): [string, JsonValue] => {
      const masked = this.#mask(member, key);
      const shown = this.maskedText(key);
      isSame &&= masked === member && shown === key;
      return [shown, masked];
    });
    return isSame ? value : Object.fromEntries(members);
  }

  #add(secret: Secret, isNews: boolean): void {
    const { value, name } = secret;
    const id = JSON.stringify([name ?? null, value]);
    if (this.#known.has(id) || value === MASK) return;
    this.#known.set(id, secret);
    if (isNews) this.#news.push(secret);
    if (secret.digest === true) {
      this.#digests.add(String(value));
      return;
    }
    this.#values.add(JSON.stringify(value));
    if (name !== undefined) {
      const values = this.#named.get(lastOf(name)) ?? new Set();
      this.#named.set(lastOf(name), values.add(JSON.stringify(value)));
    }
    if (typeof value !== 'string' && typeof value !== 'number') return;
    const kind = typeof value === 'string' ? 'string' : 'number';
    const text = String(value);
    if (text.length >= FOUND_WHOLE[kind]) this.#whole.add(text);
    if (isFoundWithin(value)) this.#seek(text);
  }

  #seek(text: string): void {
    const forms = formsOf(text).filter(form => !this.#within.has(form));
    if (forms.length === 0) return;
    for (const form of new Set(forms)) {
      this.#within.add(form);
      const alike = this.#byFirst.get(form[0]!) ?? [];
      alike.push(form);
      this.#byFirst.set(form[0]!, alike);
    }
    const longestFirst = [...this.#within].sort((a, b) => b.length - a.length);
    this.#pattern = new RegExp(longestFirst.map(escaped).join('|'), 'g');
  }
}

function isFoundWithin(value: Secret['value']): boolean {
  return (
    (typeof value === 'string' || typeof value === 'number') &&
    String(value).length >= FOUND_WITHIN[typeof value === 'string' ? 'string' : 'number']
  );
}

/** What a guard read is recorded under its path: `output.pin` is a `pin`. */
function lastOf(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

/** Of a masked whole every part is masked. */
function partOf(shown: JsonValue, key: string | number): JsonValue {
  if (Array.isArray(shown)) return shown[Number(key)] ?? MASK;
  return isJsonObject(shown) && hasKey(shown, String(key)) ? shown[String(key)]! : MASK;
}

/** How a text is written where texts are written into others. */
function formsOf(text: string): string[] {
  const json = JSON.stringify(text).slice(1, -1);
  const forms = [text, json, JSON.stringify(json).slice(1, -1), encodeURIComponent(text)];
  const base64 = Buffer.from(text).toString('base64').replace(/=+$/, '');
  const beginning = text.length > BEGINNING ? [text.slice(0, BEGINNING)] : [];
  return [...forms, base64, ...beginning];
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
