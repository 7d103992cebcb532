export { plainDisplayLines } from './display/plain-display-lines.ts';
export { type AskOptions, askRequest } from './form/ask-request.ts';
export type { FormAnswer, FormOutcome, FormRequest } from './form/form-request.ts';
export { requestLines } from './form/request-lines.ts';
export { createFormTerminal, type FormTerminal, type FormTerminalOptions } from './form-terminal.ts';
export type { FormLanguage } from './words/form-words.ts';
export { formLanguage } from './words/language.ts';
