import { brokenContent, brokenLives } from './broken-content.ts';
import { brokenReading, brokenRows } from './broken-reading.ts';
import type { BrokenStore } from './broken-store.ts';
import { brokenTexts, brokenWriting } from './broken-writing.ts';

/** Stores that the suite must reject, each for the defect in its name. */
export const brokenStores: readonly BrokenStore[] = [
  ...brokenWriting,
  ...brokenTexts,
  ...brokenReading,
  ...brokenRows,
  ...brokenContent,
  ...brokenLives,
];
