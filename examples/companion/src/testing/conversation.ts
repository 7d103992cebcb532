import type { RequestView, RunHandle, SessionHandle } from 'signalbox';
import { type Testbox, testbox } from 'signalbox/testing';
import { createCompanion } from '../companion.ts';
import { openServices } from '../services.ts';
import { type Ledger, openLedger } from '../tools/ledger.ts';

const FINN = 'user:finn';
/** Trained once for all tests of a file: the classifier is the real one. */
const SERVICES = openServices(':memory:');

/** What came of a message or an answer. */
export interface Turn {
  readonly run: RunHandle;
  /** The last thing that the companion said, when it is not waiting. */
  readonly reply: string | undefined;
  readonly question: RequestView | undefined;
}

/** A conversation with the real companion in memory, its clock standing still. */
export class Conversation {
  readonly ledger: Ledger = openLedger(':memory:');
  readonly #graph = createCompanion({ ...SERVICES, ledger: this.ledger });
  box: Testbox = testbox({ graphs: [this.#graph] });
  #session = 'ses_finn';
  #last: RunHandle | undefined;

  get session(): SessionHandle {
    return this.box.session(this.#session);
  }

  async says(message: string): Promise<Turn> {
    await this.box.sessions.open({ id: this.#session, user: 'finn' });
    const { run } = await this.session.send(this.#graph, message, { as: FINN });
    return await this.#settled(run);
  }

  async answers(values: Record<string, unknown>): Promise<Turn> {
    return await this.#act({ action: 'approve', values });
  }

  async approves(): Promise<Turn> {
    return await this.#act({ action: 'approve' });
  }

  async rejects(): Promise<Turn> {
    return await this.#act({ action: 'reject' });
  }

  /** The next messages belong to another session of the same user. */
  inAnotherSession(): void {
    this.#session = `${this.#session}-2`;
  }

  /** A new process over the same data. */
  async restart(): Promise<void> {
    this.box = await this.box.restart();
    if (this.#last !== undefined) this.#last = this.box.get(this.#last.id);
  }

  async said(): Promise<(readonly [string, unknown])[]> {
    return (await this.session.messages()).map(({ role, content }) => [role, content]);
  }

  async eventsOf(run: RunHandle, type: string): Promise<Record<string, unknown>[]> {
    const found: Record<string, unknown>[] = [];
    for await (const event of run.events()) if (event.type === type) found.push(event.data);
    return found;
  }

  async settled(): Promise<Turn> {
    if (this.#last === undefined) throw new TypeError('Nothing was said yet.');
    return await this.#settled(this.#last);
  }

  async #act(answer: object): Promise<Turn> {
    const { run, question } = await this.settled();
    if (question === undefined) throw new TypeError('Nothing is asked.');
    await this.box.answer(question.id, { ...answer, as: FINN });
    return await this.#settled(run);
  }

  async #settled(run: RunHandle): Promise<Turn> {
    this.#last = run;
    const view = await run.settled();
    const [question] = view.requests;
    if (view.status === 'failed') throw new TypeError(`${view.error.code}: ${view.error.message}`);
    const mine = (await this.session.messages()).filter(message => message.run === run.id).at(-1);
    return { run, question, reply: question === undefined ? String(mine?.content ?? '') : undefined };
  }
}
