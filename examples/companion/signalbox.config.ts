import { defineConfig } from 'signalbox';
import { createCompanion } from './src/companion.ts';
import { openServices } from './src/services.ts';

/** For the command line in this folder: `npx signalbox session list`, `npx signalbox why RUN`, … */
export default defineConfig({ graphs: [createCompanion(openServices('.signalbox/desktop.db'))] });
