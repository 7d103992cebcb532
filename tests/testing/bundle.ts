import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url));

export interface Bundle {
  readonly path: string;
  remove(): void;
}

/** One file of a program and all it needs, so that a process is at work a moment after it was started. */
export async function bundle(program: URL): Promise<Bundle> {
  mkdirSync(CACHE, { recursive: true });
  // Beside the packages, since the SQLite binding is looked for from where the file is.
  const path = join(mkdtempSync(join(CACHE, 'signalbox-bundle-')), 'program.mjs');
  await build({
    entryPoints: [fileURLToPath(program)],
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['@signalbox/source'],
    external: ['@photostructure/sqlite'],
    outfile: path,
    banner: { js: "import { createRequire as from } from 'node:module'; const require = from(import.meta.url);" },
    minify: true,
    logLevel: 'error',
  });
  return { path, remove: () => rmSync(dirname(path), { recursive: true, force: true }) };
}
