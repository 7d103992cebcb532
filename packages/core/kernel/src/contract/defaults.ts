/** What holds where a contract is silent. Spelling a default out changes neither meaning nor hash. */
export const TOOL_DEFAULTS = {
  effect: 'once',
  normalize: true,
  parallel: false,
  timeout: '30s',
} as const;

export const CONTRACT_VERSION = '1';

export const ON_BUDGET_REACHED = 'stop';
