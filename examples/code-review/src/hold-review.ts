import pc from 'picocolors';
import type { ConversationOutput, RunHandle, Signalbox, Turn } from 'signalbox';
import { listenToPerson } from './listen-to-person.ts';
import { type Language, type ReviewGraph, reviewSchema } from './review.ts';
import { WORDS } from './words.ts';

/** What the process ends with, as in all of Signalbox's commands. */
export const EXIT = { done: 0, failed: 1, usage: 2, waiting: 10 } as const;

export interface Place {
  readonly box: Signalbox;
  /** A person at a terminal can step in. */
  readonly interactive: boolean;
  print(text: string): void;
}

interface Asked {
  readonly change: string;
  readonly language: Language;
  readonly ask: number | undefined;
}

/** Holds one review and shows each turn when it is durable. @returns the exit code */
export async function holdReview(
  { box, interactive, print }: Place,
  graph: ReviewGraph,
  asked: Asked,
): Promise<number> {
  const { change, language, ask } = asked;
  const run = await box.start(graph, { change, language, ...(ask === undefined ? {} : { ask }) });
  const leave = interactive ? listenToPerson(run, error => print(String(error))) : undefined;
  try {
    for await (const row of run.stream()) {
      if (row.type === 'state.changed') for (const turn of turnsIn(row.data)) print(lineOf(turn));
      if (row.type === 'request.opened') break;
    }
  } finally {
    leave?.();
  }
  return await tellEnd(run, language, print);
}

async function tellEnd(run: RunHandle<ConversationOutput>, language: Language, print: Place['print']): Promise<number> {
  const words = WORDS[language];
  const now = await run.settled();
  if (now.status === 'completed') {
    print(`\n${pc.bold(words.ended[now.output.code])}  ${words.reason(now.output)}`);
    print(pc.dim(words.look(run.id)));
    return EXIT.done;
  }
  if (now.status === 'suspended') {
    for (const { id } of now.requests) print(`\n${words.asked(id)}`);
    return EXIT.waiting;
  }
  print(now.status === 'failed' ? `${now.error.code}: ${now.error.message}` : now.status);
  return EXIT.failed;
}

interface Change {
  readonly key: string;
  readonly value: unknown;
}

/** What an event adds to the turns. */
function turnsIn(data: object): readonly Turn[] {
  const { changes = [] } = data as { readonly changes?: readonly Change[] };
  return changes.flatMap(({ key, value }) => (key === 'turns' ? (value as readonly Turn[]) : []));
}

function lineOf({ turn, speaker, content }: Turn): string {
  const review = reviewSchema.safeParse(content).data;
  const said = review === undefined ? String(content) : `${review.comment} [${review.verdict}]`;
  return `${String(turn).padStart(2)} ${pc.cyan(speaker.padEnd(6))} ${said}`;
}
