import type { Display } from '@signalbox/kernel';
import { createPaint } from '../paint.ts';
import { EN } from '../words/en.ts';
import { displayLines } from './display-lines.ts';

const PLAIN = { paint: createPaint(false), width: 100, words: EN } as const;

/** A display as printable lines without colours, for output that is no form. */
export function plainDisplayLines(display: Display): string[] {
  return displayLines(PLAIN, display);
}
