/** Of the command by which a message that was sent under a start key answers a question. */
export function sentCommandId(key: string): string {
  return `send:${key}`;
}
