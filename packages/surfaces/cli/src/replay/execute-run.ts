import { requestCodec } from '@signalbox/core';
import { type Commit, loadProgram, type Program, SignalboxError, versionHash } from '@signalbox/kernel';
import type { EventStore } from '@signalbox/ports';
import { Contracts, Opening, type ReExecution, readCommits, reExecute } from '@signalbox/runtime';
import { storedDefinition } from '../report/load-report.ts';
import type { Build } from './build.ts';

/** Executes the whole run once more with that build, in memory and without effects. What differs is told with masks. */
export async function executeRun(store: EventStore, runId: string, build: Build): Promise<ReExecution> {
  const history: Commit[] = [];
  const opening = new Opening(build.keys);
  for await (const commit of readCommits(store, runId, opening)) history.push(commit);
  const contracts = new Contracts(store);
  const programs = new Map<string, Promise<Program>>();
  const result = await reExecute(history, {
    codec: requestCodec,
    handler: key => build.handlers.get(key),
    program(version) {
      const program = programs.get(version) ?? programOf(store, build, version);
      programs.set(version, program);
      return program;
    },
    contract: hash => contracts.get(hash),
  });
  return opening.secrets.masked(result);
}

/**
 * A version as it is stored, with the code that this build has for its graph.
 * @throws SignalboxError `UnknownVersion`, `VersionMismatch`
 */
export async function programOf(store: EventStore, build: Build, version: string): Promise<Program> {
  const definition = await storedDefinition(store, version);
  if (definition === undefined)
    throw new SignalboxError('UnknownVersion', `graph version ${version} is not in the store`);
  const program = loadProgram(definition, build.graphs.find(({ name }) => name === definition.name)?.code);
  const hash = versionHash(definition);
  if (hash !== version)
    throw new SignalboxError('VersionMismatch', `the stored definition has the hash ${hash} in this build`);
  return program;
}
