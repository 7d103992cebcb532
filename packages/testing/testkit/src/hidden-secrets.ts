import { isJsonObject, type JsonValue } from '@signalbox/kernel';

/** Values by name. */
export type Secrets = Readonly<Record<string, string>>;

const NAME = /KEY|TOKEN|SECRET|PASSWORD/i;
/** A shorter value stands in too many texts by chance. */
const SHORTEST = 8;

export function environmentSecrets(environment: NodeJS.ProcessEnv = process.env): Secrets {
  const found = Object.entries(environment).filter(
    (entry): entry is [string, string] => NAME.test(entry[0]) && (entry[1] ?? '').length >= SHORTEST,
  );
  return Object.fromEntries(found);
}

/**
 * Writes `[secret:NAME]` where a secret stands, in texts and names of members, the longest secrets first. Arguments of tools are
 * JSON in a text: there a secret may stand escaped, and so does its place.
 */
export function withoutSecrets(value: JsonValue, secrets: Secrets): JsonValue {
  const longestFirst = formsOf(secrets).toSorted((one, other) => other.text.length - one.text.length);
  return inTexts(value, text => longestFirst.reduce((hidden, form) => hidden.replaceAll(form.text, form.place), text));
}

/** The other way; a secret that is not there now stays hidden. */
export function withSecrets(value: JsonValue, secrets: Secrets): JsonValue {
  const forms = formsOf(secrets);
  return inTexts(value, text => forms.reduce((shown, form) => shown.replaceAll(form.place, () => form.text), text));
}

function formsOf(secrets: Secrets): { readonly text: string; readonly place: string }[] {
  return Object.entries(secrets).flatMap(([name, secret]) => {
    const escaped = JSON.stringify(secret).slice(1, -1);
    const forms = [{ text: secret, place: `[secret:${name}]` }];
    if (escaped !== secret) forms.push({ text: escaped, place: `[secret:${name}:escaped]` });
    return secret === '' ? [] : forms;
  });
}

function inTexts(value: JsonValue, change: (text: string) => string): JsonValue {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map(each => inTexts(each, change));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [change(key), inTexts(each, change)]));
}
