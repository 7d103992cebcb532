import { defineConfig } from 'signalbox';
import { chooseModel } from './src/choose-model.ts';
import { OfferLetters } from './src/offer-letters.ts';
import { CONTRACT, createRecruiter } from './src/recruiter.ts';

const { name, models } = chooseModel();
const letters = new OfferLetters('.signalbox/letters.db');

/** For the command line in this folder: `npx signalbox inbox`, `npx signalbox why RUN`, … */
export default defineConfig({
  graphs: [createRecruiter({ model: name, letters, contract: CONTRACT })],
  models,
});
