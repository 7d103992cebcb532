import { defineConfig } from 'signalbox';
import { createReview } from './src/review.ts';
import { chooseReviewers } from './src/reviewers.ts';

/** For the command line in this folder: `npx signalbox why RUN`, `npx signalbox signal RUN speak --value '"…"'`, … */
const { model, models } = chooseReviewers(process.env);
export default defineConfig({ graphs: [createReview(model)], models });
