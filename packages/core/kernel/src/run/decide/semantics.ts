/** The version of the rules in this folder; a run keeps the number it began with, and with it the rules of then. */
export const SEMANTICS = 2;

/** Since which number a rule holds. Before, a chain counted passes and the questions of the visit at hand. */
export const COUNTS_EVERY_NODE = 2;
export const UNDOES_WHAT_ENDS_WHILE_CANCELLING = 2;
export const LIMITS_VISITS_OF_JOINS = 2;
export const KNOWS_LATEST_REQUESTS_ONLY = 2;
export const UNDOES_ONCE_BEHIND_FALLBACKS = 2;
export const NAMES_CHECKS_AT_LENGTH = 2;
export const CLOSES_WHAT_ENDED_NODES_ASK = 2;
export const COUNTS_NO_DOWNTIME = 2;
export const TELLS_CALLS_OF_ATTEMPTS_APART = 2;
