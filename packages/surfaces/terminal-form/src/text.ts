export { jsonText, printable, printableLines, visible } from './text/printable.ts';
export { cutToWidth, displayWidth, padToWidth } from './text/width.ts';
export { wrap } from './text/wrap.ts';
