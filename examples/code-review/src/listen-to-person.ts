import { createInterface } from 'node:readline';
import type { RunHandle } from 'signalbox';

/** Every line that is typed steps into the conversation. @returns how to stop listening */
export function listenToPerson(run: RunHandle, refused: (error: unknown) => void): () => void {
  const lines = createInterface({ input: process.stdin });
  lines.on('line', line => {
    const said = line.trim();
    if (said === '') return;
    run.signal('speak', said === 'end' ? { end: true } : { content: said }, { as: 'user:maintainer' }).catch(refused);
  });
  return () => lines.close();
}
