import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The build that the package of a folder is: `desk@1.4.0`, by the nearest `package.json` that has a name and a version;
 * undefined where none has both. One that cannot be read, or is no JSON, names nothing.
 */
export function packageBuild(folder: string): string | undefined {
  const file = join(folder, 'package.json');
  const named = existsSync(file) ? nameAndVersion(file) : undefined;
  const above = dirname(folder);
  return named ?? (above === folder ? undefined : packageBuild(above));
}

function nameAndVersion(file: string): string | undefined {
  try {
    const { name, version } = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, unknown>>;
    return isText(name) && isText(version) ? `${name}@${version}` : undefined;
  } catch {
    return undefined;
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
