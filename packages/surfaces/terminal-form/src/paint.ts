import picocolors from 'picocolors';

/** Colours for text that is printable already; without colours the text as it is. */
export type Paint = Readonly<Record<'bold' | 'dim' | 'cyan' | 'red' | 'green' | 'yellow', (text: string) => string>>;

export function createPaint(colours: boolean): Paint {
  const { bold, dim, cyan, red, green, yellow } = picocolors.createColors(colours);
  return { bold, dim, cyan, red, green, yellow };
}
