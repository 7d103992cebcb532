import { compileJsonSchema, type JsonObject } from '@signalbox/kernel';

/** How long a conversation may go on, and what ends it. `false` looks after something not at all. */
export interface EndRules {
  /** Turns of speakers; default 20. */
  readonly maxTurns?: number;
  /** The same said so many times; default 3 times, alike from 0.9 on (0 to 1). */
  readonly repeated?: false | { readonly times?: number; readonly similarity?: number };
  /** So many turns in a row that only confirm; default 3. */
  readonly agreement?: false | number;
  /** So many turns in a row without a word that was not said before; default 6. */
  readonly noProgress?: false | number;
}

/** How somebody from outside steps in. */
export interface PersonRules {
  /** The name of the signal; default `speak`. */
  readonly signal?: string;
  /** How long each turn waits for that signal; default `0s`: what came already is heard. */
  readonly pause?: string;
  /** Of whom it is asked where `ask` holds. */
  readonly assign?: string | readonly string[];
  readonly title?: string;
}

/** What a node of type `moderator` sets. */
export interface ModeratorSettings extends EndRules {
  /** In the order in which they speak. */
  readonly speakers: readonly string[];
  /** A node that chooses the speaker; `output.next` is then its name. */
  readonly chooser?: string;
  readonly person?: PersonRules;
}

const TEXT = { type: 'string', minLength: 1 };
const COUNT = { type: 'integer', minimum: 1 };
/** One turn alone repeats nothing and confirms nobody. */
const ROW: JsonObject = { anyOf: [{ const: false }, { type: 'integer', minimum: 2 }] };

export const MODERATOR_SETTINGS = compileJsonSchema({
  type: 'object',
  required: ['speakers'],
  additionalProperties: false,
  properties: {
    speakers: {
      type: 'array',
      minItems: 1,
      uniqueItems: true,
      items: { ...TEXT, not: { enum: ['person', 'end', 'moderator', 'chooser'] } },
    },
    chooser: TEXT,
    maxTurns: COUNT,
    repeated: {
      anyOf: [
        { const: false },
        {
          type: 'object',
          additionalProperties: false,
          properties: {
            times: { type: 'integer', minimum: 2 },
            similarity: { type: 'number', exclusiveMinimum: 0, maximum: 1 },
          },
        },
      ],
    },
    agreement: ROW,
    noProgress: ROW,
    person: {
      type: 'object',
      additionalProperties: false,
      properties: {
        signal: TEXT,
        pause: TEXT,
        title: TEXT,
        assign: { anyOf: [TEXT, { type: 'array', items: TEXT }] },
      },
    },
  },
});

export const END_DEFAULTS = { maxTurns: 20, times: 3, similarity: 0.9, agreement: 3, noProgress: 6 } as const;
