import { readFileSync } from 'node:fs';
import { dirname, extname } from 'node:path';
import { declarationsOf, type Graph, graphFromDefinition, isGraph, loadGraph, type NodeType } from '@signalbox/core';
import { type Fault, isSignalboxError, SignalboxError } from '@signalbox/kernel';
import { loadModule } from '../config/load-module.ts';

/** A fault in a file. What code builds has no line, only the JSON pointer of its place in the definition. */
export interface FileFault extends Fault {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

export interface GraphFile {
  /** As it was named. */
  readonly file: string;
  /** Of a YAML or JSON file. */
  readonly text?: string;
  /** The file's own `version:`. */
  readonly version?: string;
  /** None where a fault is an error. */
  readonly graphs: readonly Graph[];
  readonly faults: readonly FileFault[];
}

const CODE_FILES: ReadonlySet<string> = new Set(['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs']);
const TEXT_FILES: ReadonlySet<string> = new Set(['.yaml', '.yml', '.json']);

export function isCodeFileName(name: string): boolean {
  return CODE_FILES.has(extname(name).toLowerCase());
}

export function isGraphFileName(name: string): boolean {
  const extension = extname(name).toLowerCase();
  return CODE_FILES.has(extension) || TEXT_FILES.has(extension);
}

/**
 * Reads the graphs of a file with everything that is wrong with them.
 *
 * @param file as named, for messages. @param path where it is.
 * @throws SignalboxError `UnknownFile`, `ModuleFailed`
 */
export async function readGraphFile(file: string, path: string, types: readonly NodeType[]): Promise<GraphFile> {
  return CODE_FILES.has(extname(path).toLowerCase()) ? await readCode(file, path) : readText(file, path, types);
}

async function readCode(file: string, path: string): Promise<GraphFile> {
  textOf(file, path);
  try {
    const exported = Object.values(await loadModule(path));
    const graphs = [...new Set(exported.flatMap(value => (Array.isArray(value) ? value : [value])).filter(isGraph))];
    if (graphs.length === 0)
      throw new SignalboxError('UnknownGraph', `${file} exports no graph.`, {
        hint: 'Export what `build` gives: `export const desk = builder.build({ … })`.',
      });
    return { file, graphs, faults: graphs.flatMap(({ warnings }) => warnings.map(fault => ({ ...fault, file }))) };
  } catch (error) {
    const faults = faultsOf(error);
    if (faults === undefined) throw error;
    return { file, graphs: [], faults: faults.map(fault => ({ ...fault, file })) };
  }
}

function readText(file: string, path: string, types: readonly NodeType[]): GraphFile {
  const text = textOf(file, path);
  const loaded = loadGraph(text, { file, types: declarationsOf(types) });
  const faults = text.trim() === '' ? [emptyFile(file)] : aboutKnownTypes(loaded.faults).map(of => ({ ...of, file }));
  const version = loaded.version === undefined ? {} : { version: loaded.version };
  if (loaded.definition === undefined) return { file, text, ...version, graphs: [], faults };
  try {
    return {
      file,
      text,
      ...version,
      graphs: [graphFromDefinition(loaded.definition, types, { folder: dirname(path) })],
      faults,
    };
  } catch (error) {
    const more = faultsOf(error)?.filter(({ severity }) => severity === 'error');
    if (more === undefined) throw error;
    return { file, text, ...version, graphs: [], faults: [...faults, ...more.map(fault => ({ ...fault, file }))] };
  }
}

export const NO_TIME_LIMIT = 'NoTimeLimit';

/** Of a node whose type nobody knows it is not said that it has no time limit: nobody knows whether it wants one. */
function aboutKnownTypes<Of extends Fault>(faults: readonly Of[]): readonly Of[] {
  const unknown = faults.filter(({ code }) => code === 'UnknownNodeType').map(({ pointer }) => pointer);
  return faults.filter(({ code, pointer }) => code !== NO_TIME_LIMIT || !unknown.some(of => isWithin(of, pointer)));
}

function isWithin(pointer: string, outer: string): boolean {
  return pointer === outer || pointer.startsWith(`${outer}/`);
}

function emptyFile(file: string): FileFault {
  const message = 'The file is empty; a graph has `name`, `entry`, `nodes` and `routes`.';
  return { file, line: 1, column: 1, pointer: '', code: 'WrongType', severity: 'error', message, hint: '' };
}

/** The `version:` that a YAML or JSON file gives itself, for people. */
export function ownVersion(file: string, path: string): string | undefined {
  return TEXT_FILES.has(extname(path).toLowerCase()) ? loadGraph(textOf(file, path), { file }).version : undefined;
}

function textOf(file: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as { readonly code?: string };
    throw new SignalboxError('UnknownFile', `${file} cannot be read (${code ?? String(error)}).`, {
      hint: 'Check the path; it is relative to the working folder.',
      details: { file },
    });
  }
}

function faultsOf(error: unknown): readonly Fault[] | undefined {
  if (!isSignalboxError(error) || error.code !== 'InvalidGraph') return undefined;
  return error.details.faults as unknown as readonly Fault[];
}
