/** What holds where a definition is silent. Spelling a default out changes neither meaning nor hash. */
export const GRAPH_DEFAULTS = {
  zone: 'UTC',
  maxSteps: 200,
  maxVisits: 10,
  noProgress: 3,
  maxChain: 16,
} as const;

export const NODE_DEFAULTS = { maxVisits: GRAPH_DEFAULTS.maxVisits, zone: GRAPH_DEFAULTS.zone } as const;

/** Milliseconds where it is a time. */
export const RETRY_DEFAULTS = { backoff: 1_000, factor: 2, maxBackoff: 300_000, jitter: 0.2 } as const;

export const MAP_DEFAULTS = { concurrency: 10, onError: 'fail', maxItems: 10_000 } as const;

export const FAIL_CODE = 'Failed';

/** A handler key with its revision: `classify` is `classify@1`. */
export function withRevision(handler: string): string {
  return /@\d+$/.test(handler) ? handler : `${handler}@1`;
}
