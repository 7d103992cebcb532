import { createInterface } from 'node:readline';
import { Interrupted } from '../box/interrupt.ts';

/**
 * Reads a text of several lines. Typed ahead or pasted, every line counts: one reader stays open until Ctrl-D.
 * Enter alone as the first line ends it too, and gives ''.
 */
export function promptLines(
  { input, output }: { readonly input: NodeJS.ReadableStream; readonly output: NodeJS.WritableStream },
  message: string,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const lines: string[] = [];
    const reader = createInterface({ input, output, terminal: true, prompt: '  ' });
    output.write(`? ${message}\n`);
    reader.prompt();
    reader.on('line', line => {
      if (line === '' && lines.length === 0) return reader.close();
      lines.push(line);
      reader.prompt();
    });
    reader.on('SIGINT', () => {
      reject(new Interrupted());
      reader.close();
    });
    reader.on('close', () => {
      output.write('\n');
      // What was typed on the last line before Ctrl-D was not entered, unless it is there still.
      resolve(reader.line === '' ? lines.join('\n') : [...lines, reader.line].join('\n'));
    });
  });
}
