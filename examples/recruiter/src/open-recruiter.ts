import { createSignalbox } from 'signalbox';
import { type ChosenModel, chooseModel } from './choose-model.ts';
import { OfferLetters } from './offer-letters.ts';
import { CONTRACT, createRecruiter } from './recruiter.ts';

// After a crash the next process waits this long, in ms, for a sign of life of the last one before it goes on for it.
const LEASE = 1_500;

export interface OpenOptions {
  readonly model?: ChosenModel;
  readonly contract?: string | URL;
}

/** A recruiter at work, with one session that goes on from start to start. Runs and letters are kept in `folder`. */
export async function openRecruiter(folder: string, options: OpenOptions = {}) {
  const { model = chooseModel(), contract = process.env.RECRUITER_CONTRACT ?? CONTRACT } = options;
  const letters = new OfferLetters(`${folder}/letters.db`);
  const graph = createRecruiter({ model: model.name, letters, contract });
  const box = createSignalbox({ path: `${folder}/signalbox.db`, lease: LEASE, graphs: [graph], models: model.models });
  await box.ready();
  return {
    box,
    graph,
    letters,
    model: model.name,
    session: await box.sessions.open({ id: 'ses_recruiter' }),
    async close() {
      await box.close();
      letters.close();
    },
  };
}
