import { type Graph, type RunHandle, Signalbox } from '@signalbox/core';
import { createEmbeddedHost, createIdGenerator, createSystemClock } from '@signalbox/host-embedded';
import type { RunView } from '@signalbox/runtime';
import { createSqliteStore } from '@signalbox/store-sqlite';
import type { Cli } from '../cli.ts';
import { packageBuild } from '../config/package-build.ts';
import { fileOf, graphsOfFile } from '../graphs/find-graph.ts';
import { chosenRunsHost } from './chosen-runs-host.ts';
import { Interrupted, onInterrupt } from './interrupt.ts';
import { keysAt } from './keys-at.ts';

/** A box for one command. */
export interface CommandBox {
  readonly box: Signalbox;
  /** Graphs this process has code for, by name. */
  readonly graphs: ReadonlyMap<string, Graph>;
  /** Drives one run to its next stop. @throws Interrupted after Ctrl-C */
  settle(handle: RunHandle<unknown>): Promise<RunView>;
}

export interface BoxSettings {
  /** Makes the database when there is none. */
  readonly create?: boolean;
  /** Graph files given on the command line, whose code the run may need. */
  readonly files?: readonly string[];
}

/** A process that gives no sign of life for this long, ms, is taken for dead and its runs are gone on with. */
const LEASE_MS = 3_000;
/** After Ctrl-C a handler may take this long, ms, to end; what it does not record then is done again. */
const GRACE_MS = 5_000;

/** Opens the store with an engine for one command; both are stopped in good order when `use` is done or interrupted. */
export async function withBox<Result>(
  cli: Cli,
  settings: BoxSettings,
  use: (box: CommandBox) => Promise<Result>,
): Promise<Result> {
  const config = await cli.config();
  const graphs = new Map<string, Graph>();
  for (const graph of [...(await cli.graphs()), ...(await givenGraphs(cli, settings.files ?? []))])
    graphs.set(graph.name, graph);
  const path = settings.create === true ? await cli.storePath() : await cli.existingStorePath();
  const { types = [], channels = [], checks, models, secrets, identity, resolvers } = config;
  const { observer, build = packageBuild(config.folder), durability, payloadLimit, sessionMetadata } = config;
  const clock = createSystemClock();
  const host = chosenRunsHost(createEmbeddedHost({ clock }));
  const box = new Signalbox({
    store: createSqliteStore({ path, ...(durability === undefined ? {} : { durability }) }),
    host,
    clock,
    ids: createIdGenerator(),
    keys: keysAt(path, cli.io.env),
    lease: LEASE_MS,
    types,
    channels,
    graphs: [...graphs.values()],
    ...(checks === undefined ? {} : { checks }),
    ...(models === undefined ? {} : { models }),
    ...(secrets === undefined ? {} : { secrets }),
    ...(identity === undefined ? {} : { identity }),
    ...(resolvers === undefined ? {} : { resolvers }),
    ...(sessionMetadata === undefined ? {} : { sessionMetadata }),
    ...(observer === undefined ? {} : { observer }),
    ...(build === undefined ? {} : { build }),
    ...(payloadLimit === undefined ? {} : { payloadLimit }),
  });
  const interrupt = onInterrupt();
  const settle = async (handle: RunHandle<unknown>) => {
    for (const id of [...(await aheadOf(box, handle.id)), handle.id]) host.choose(id);
    await box.engine.wake(handle.id);
    await begun(box, handle.id);
    const stopped = interrupt.happened.then((): never => {
      throw new Interrupted(handle.id);
    });
    return (await Promise.race([atRest(box, handle), stopped])) as RunView;
  };
  try {
    return await use({ box, graphs, settle });
  } finally {
    await box.close({ grace: GRACE_MS });
    interrupt.forget();
  }
}

/** A service that this process asks is heard before it ends. */
async function atRest(box: Signalbox, handle: RunHandle<unknown>): Promise<RunView> {
  for (;;) {
    const view = await handle.settled();
    if (!(await box.servicesAnswered(handle.id))) return view as RunView;
  }
}

/** Runs of its session that are to go on before it can: of a process that died, nobody else may. */
async function aheadOf(box: Signalbox, runId: string): Promise<readonly string[]> {
  const row = await box.store.run(runId);
  if (row === undefined || row.session === null || row.reason !== 'session') return [];
  const { executing, queued } = await box.session(row.session, { tenant: row.tenant }).view();
  return [...executing, ...queued.slice(0, Math.max(0, queued.indexOf(runId)))];
}

/** A run whose time has come is still suspended until somebody begins with it; who is that, this process or another, is all one. */
async function begun({ store }: Signalbox, runId: string): Promise<void> {
  for (const last = Date.now() + 3 * LEASE_MS; Date.now() < last; ) {
    const row = await store.run(runId);
    if (row?.status !== 'suspended' || row.dueAt === null || row.dueAt > Date.now()) return;
    await new Promise(proceed => setTimeout(proceed, 20));
  }
}

async function givenGraphs(cli: Cli, files: readonly string[]): Promise<readonly Graph[]> {
  const { types = [] } = await cli.config();
  const found: Graph[] = [];
  for (const reference of files) {
    const { file, path } = fileOf(cli.io.cwd, reference) ?? { file: reference, path: reference };
    found.push(...(await graphsOfFile(file, path, types)));
  }
  return found;
}
