import { pathToFileURL } from 'node:url';
import { isSignalboxError, SignalboxError } from '@signalbox/kernel';

/**
 * Imports a module of the user, TypeScript as it is. Where the runtime cannot, jiti compiles it: these errors come before
 * anything of the module has run, so nothing runs twice.
 *
 * @throws SignalboxError `ModuleFailed`, or whatever error of ours the module itself throws.
 */
export async function loadModule(path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await importModule(path);
  } catch (error) {
    if (isSignalboxError(error)) throw error;
    const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    throw new SignalboxError('ModuleFailed', `${path} cannot be loaded: ${message}`, {
      hint: 'Correct the file; it is loaded as any module would be.',
      details: { file: path },
      cause: error,
    });
  }
}

const NOT_LOADABLE: ReadonlySet<unknown> = new Set([
  'ERR_UNKNOWN_FILE_EXTENSION',
  'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX',
  'ERR_INVALID_TYPESCRIPT_SYNTAX',
  'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING',
  'ERR_UNSUPPORTED_DIR_IMPORT',
  'ERR_MODULE_NOT_FOUND',
]);

async function importModule(path: string): Promise<Readonly<Record<string, unknown>>> {
  const { href } = pathToFileURL(path);
  try {
    return await import(href);
  } catch (error) {
    if (!NOT_LOADABLE.has((error as { readonly code?: unknown }).code)) throw error;
    const { createJiti } = await import('jiti');
    const module = await createJiti(href).import<Readonly<Record<string, unknown>>>(href);
    // Where a module has no default export jiti makes one up out of the others.
    return Object.fromEntries(Object.keys(module).map(name => [name, module[name]]));
  }
}
