import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  digestOf,
  isSignalboxError,
  type JsonObject,
  type JsonValue,
  parseStrictJson,
  SignalboxError,
} from '@signalbox/kernel';
import type { ModelPort, ModelReply, ModelRequest } from '@signalbox/ports';
import { differences } from './differences.ts';
import { environmentSecrets, type Secrets, withoutSecrets, withSecrets } from './hidden-secrets.ts';

export interface CassetteOptions {
  /** JSON Lines: one request and its reply in each, to be kept beside the test. */
  readonly file: string;
  /**
   * `replay`: what is in the file, and nothing else. `record`: the model, and the file is written anew. `auto`: what is in the
   * file, else the model. Default `replay`, so that no test reaches outside unless told to.
   */
  readonly mode?: 'replay' | 'record' | 'auto';
  /** Who is recorded, and says what usage costs; `replay` needs none. */
  readonly model?: ModelPort;
  /**
   * Values by name that the file must not have: it has `[secret:NAME]` in their place. Default: what the environment has under
   * names with KEY, TOKEN, SECRET or PASSWORD in them.
   */
  readonly secrets?: Secrets;
}

interface Entry {
  /** SHA-256 of the canonical request. */
  readonly key: string;
  readonly request: JsonObject;
  readonly reply: JsonObject;
}

/**
 * A model whose replies are kept in a file. A request is known by its whole content; made several times, it gets the replies
 * in the order in which they were recorded, and from then on the last. Failed calls are not recorded.
 */
export function cassetteModel(options: CassetteOptions): ModelPort {
  const { file, mode = 'replay', model, secrets = environmentSecrets() } = options;
  if (mode !== 'replay' && model === undefined)
    throw new SignalboxError('InvalidConfig', `A cassette in mode ${mode} needs a \`model\` to record.`);
  const entries = mode === 'record' ? [] : readEntries(file, mode);
  const given = new Map<string, number>();
  let begun = mode !== 'record';

  function replayed(key: string): Entry | undefined {
    const known = entries.filter(entry => entry.key === key);
    const count = given.get(key) ?? 0;
    given.set(key, count + 1);
    return known[Math.min(count, known.length - 1)];
  }

  function keep(entry: Entry): void {
    const line = `${JSON.stringify(entry)}\n`;
    mkdirSync(dirname(file), { recursive: true });
    if (begun) appendFileSync(file, line);
    else writeFileSync(file, line);
    begun = true;
    entries.push(entry);
  }

  return {
    async call(request, callOptions) {
      callOptions.signal.throwIfAborted();
      const hidden = withoutSecrets(plain(request), secrets) as JsonObject;
      const key = digestOf(hidden);
      const entry = mode === 'record' ? undefined : replayed(key);
      if (entry !== undefined) {
        const reply = withSecrets(entry.reply, secrets) as unknown as ModelReply;
        if (reply.text !== '') callOptions.onText?.(reply.text);
        return reply;
      }
      if (mode === 'replay' || model === undefined) throw miss(file, hidden, entries);
      const reply = await model.call(request, callOptions);
      keep({ key, request: hidden, reply: withoutSecrets(plain(reply), secrets) as JsonObject });
      return reply;
    },
    // Who counts money counts it beside a cassette as well.
    ...(model?.costOf === undefined ? {} : { costOf: (usage, name) => model.costOf?.(usage, name) }),
  };
}

/** As JSON has it: members that are undefined are none. */
function plain(value: ModelRequest | ModelReply): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}

function readEntries(file: string, mode: 'replay' | 'auto'): Entry[] {
  if (!existsSync(file)) {
    if (mode === 'auto') return [];
    throw new SignalboxError('CassetteMiss', `There is no cassette ${file}.`, { hint: HINT, details: { file } });
  }
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.flatMap((line, index) => (line.trim() === '' ? [] : [readEntry(line, file, index + 1)]));
}

function readEntry(line: string, file: string, number: number): Entry {
  try {
    const { request, reply } = parseStrictJson(line) as { request?: JsonObject; reply?: JsonObject };
    // The key stands in the file for people; what counts is the request, which somebody may have edited.
    if (request !== undefined && reply !== undefined) return { key: digestOf(request), request, reply };
  } catch (error) {
    if (!isSignalboxError(error)) throw error;
  }
  throw new SignalboxError(
    'CassetteUnreadable',
    `Line ${number} of the cassette ${file} is no request with its reply.`,
    {
      hint: 'Repair the line, or record the cassette anew.',
      details: { file, line: number },
    },
  );
}

const HINT = "Record it: run the test once with mode 'auto' or 'record'.";
const MOST_SHOWN = 3;

function miss(file: string, request: JsonObject, entries: readonly Entry[]): SignalboxError {
  const ranked = entries
    .map(entry => differences(entry.request, request))
    .toSorted((one, other) => one.length - other.length);
  const [nearest] = ranked;
  const shown = nearest?.slice(0, MOST_SHOWN).join('; ');
  const more = (nearest?.length ?? 0) - MOST_SHOWN;
  const told =
    shown === undefined ? 'It is empty.' : `The nearest differs: ${shown}${more > 0 ? `; and ${more} more` : ''}.`;
  return new SignalboxError('CassetteMiss', `The cassette ${file} has no reply to this request. ${told}`, {
    hint: HINT,
    details: { file, differences: [...(nearest ?? [])] },
  });
}
