import pc from 'picocolors';
import { type RunHandle, readCommits, trail } from 'signalbox';
import type { OpenCompanion } from './open-companion.ts';

/** Newest messages that a conversation begins with: whatever was said and not seen is among them. */
const SHOWN_AT_FIRST = 6;

/** Prints what is said in the session, each message once. */
export class Transcript {
  readonly #companion: OpenCompanion;
  readonly #print: (text: string) => void;
  #shown = 0;

  constructor(companion: OpenCompanion, print: (text: string) => void) {
    this.#companion = companion;
    this.#print = print;
  }

  /** What was said before this start, with both sides. */
  async begin(isConversation: boolean): Promise<void> {
    const messages = await this.#companion.session.messages({ limit: SHOWN_AT_FIRST });
    this.#shown = messages.at(-1)?.seq ?? 0;
    if (!isConversation) return;
    for (const { role, content } of messages) this.#print(line(role, content));
  }

  /** What the companion has said since, and with a run the way that it took. */
  async goOn(run?: RunHandle): Promise<void> {
    for (const { seq, role, content } of await this.#companion.session.messages()) {
      if (seq <= this.#shown) continue;
      this.#shown = seq;
      if (role === 'assistant') this.#print(line(role, content));
    }
    if (run !== undefined) this.#print(pc.dim(`  ${await trail(readCommits(this.#companion.box.store, run.id))}`));
  }
}

function line(role: string, content: unknown): string {
  return role === 'assistant' ? `${pc.green('◂')} ${String(content)}` : pc.dim(`▸ ${String(content)}`);
}
