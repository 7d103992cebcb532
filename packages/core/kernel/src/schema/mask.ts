/** What stands for a sensitive value in every view. */
export const MASK = '***';
