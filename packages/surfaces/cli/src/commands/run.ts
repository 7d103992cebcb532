import { existsSync } from 'node:fs';
import { type Graph, graphFromDefinition, type NodeType, type RunHandle, type Signalbox } from '@signalbox/core';
import { hasKey, isSignalboxError, type JsonObject, jsonEqual, SignalboxError } from '@signalbox/kernel';
import { type Command, Option } from 'commander';
import { readAnswers } from '../answers/read-answers.ts';
import { settleWithAnswers } from '../answers/settle-with-answers.ts';
import { type CommandBox, withBox } from '../box/open-box.ts';
import type { Cli } from '../cli.ts';
import { fileOf, graphOfFile, unknownGraph } from '../graphs/find-graph.ts';
import { isCodeFileName } from '../graphs/graph-file.ts';
import { presentVersion } from '../graphs/versions.ts';
import { readJsonArgument, readObjectArgument } from '../read-argument.ts';
import { storedDefinition } from '../report/load-report.ts';
import { reportSettled } from '../report/report-settled.ts';
import { type Act, collect, emptyKey } from './command.ts';

interface RunOptions {
  readonly input?: string;
  readonly session?: string;
  readonly sessionMetadata?: string;
  readonly key?: string;
  readonly as?: string;
  readonly requestId?: string;
  readonly label?: string;
  readonly answers?: string;
  readonly decisions?: 'on' | 'off' | 'unattended';
  readonly graph?: readonly string[];
}

export function registerRun(program: Command, act: Act): void {
  program
    .command('run')
    .argument('<graph>', 'a graph file (YAML, JSON, TypeScript; file.ts#name), or a name of the configuration')
    .description('start a run and drive it to its next stop')
    .option('--input <json>', 'JSON, @FILE or @- (default: {})')
    .option('--session <id>', 'the conversation or case it belongs to')
    .option(
      '--session-metadata <json>',
      'what is known of it: JSON, @FILE or @-; these keys are set where it has begun',
    )
    .option('--key <key>', 'start key: the same key, graph and input give the same run')
    .option('--as <user>', 'who starts it, such as user:finn')
    .option('--request-id <id>', 'goes along with every commit of the run')
    .option('--label <label>', 'begin with the version of this label')
    .option('--answers <file>', 'answers to the questions that it asks, as YAML or JSON; - is standard input')
    .addOption(new Option('--decisions <how>', 'may it suspend for a decision?').choices(['on', 'off', 'unattended']))
    .option('--graph <file>', 'code that the run needs as well', collect)
    .action(act(run));
}

async function run(cli: Cli, reference: string, options: RunOptions): Promise<number> {
  if (options.key === '') throw emptyKey();
  const input = options.input === undefined ? {} : await readJsonArgument(cli, '--input', options.input);
  const metadata = await readMetadata(cli, options);
  const answers = options.answers === undefined ? undefined : await readAnswers(cli, options.answers);
  const file = fileOf(cli.io.cwd, reference);
  const { types = [], folder } = await cli.config();
  const graph = file === undefined ? await storedGraph(cli, reference, types, folder) : await graphOfFile(file, types);
  if (file !== undefined && isCodeFileName(file.file)) cli.needs(reference);
  const files = options.graph === undefined ? {} : { files: options.graph };
  return await withBox(cli, { create: true, ...files }, async opened => {
    const { key } = options;
    if (metadata !== undefined) await setMetadata(cli, opened.box, metadata, options);
    const known = key === undefined ? undefined : await opened.box.store.startKey(cli.tenant, key);
    const handle = await start(opened, graph ?? reference, input, cli, options).catch(error => {
      throw options.input === undefined ? withInputHint(error) : error;
    });
    if (known !== undefined) cli.out.note(`The run with key ${key} was there already; no other was started.`);
    if (answers !== undefined) await settleWithAnswers(cli, opened, handle, answers, options.as);
    return (await reportSettled(cli, opened, handle)).code;
  });
}

async function readMetadata(cli: Cli, { session, sessionMetadata }: RunOptions): Promise<JsonObject | undefined> {
  if (sessionMetadata === undefined) return undefined;
  if (session === undefined)
    throw new SignalboxError('Usage', '--session-metadata goes with --session.', { hint: 'Name it: --session ses_…' });
  return await readObjectArgument(cli, '--session-metadata', sessionMetadata);
}

/** Begins the session with it; of one that has begun, sets what it does not have already. */
async function setMetadata(cli: Cli, box: Signalbox, metadata: JsonObject, options: RunOptions): Promise<void> {
  const { tenant } = cli;
  const [id, as] = [options.session!, cli.actor(options.as)];
  if (!(await hasBegun(box, id, tenant))) await box.sessions.open({ id, tenant, metadata, as });
  const session = box.session(id, { tenant });
  const known = (await session.view()).metadata;
  const news = Object.entries(metadata).filter(([key, value]) => !hasKey(known, key) || !jsonEqual(known[key]!, value));
  if (news.length > 0) await session.update(Object.fromEntries(news), { of: 'metadata', as });
}

async function hasBegun(box: Signalbox, id: string, tenant: string): Promise<boolean> {
  try {
    await box.session(id, { tenant }).view();
    return true;
  } catch (error) {
    if (isSignalboxError(error) && error.code === 'UnknownSession') return false;
    throw error;
  }
}

/** Who gave no input may not know that one is wanted. */
function withInputHint(error: unknown): unknown {
  if (!isSignalboxError(error) || error.code !== 'InvalidInput') return error;
  const { code, message, details } = error;
  return new SignalboxError(code, message, { hint: "Give it with --input '{…}' or --input @FILE.", details });
}

/** A name that neither configuration nor a label of the store knows may be that of a stored graph, as of `graph show`. */
async function storedGraph(
  cli: Cli,
  name: string,
  types: readonly NodeType[],
  folder: string,
): Promise<Graph | undefined> {
  if ((await cli.graphs()).some(graph => graph.name === name) || !existsSync(await cli.storePath())) return undefined;
  return await cli.withStore(async store => {
    if ((await store.labels(cli.tenant, 'graph', name)).length > 0) return undefined;
    const hash = await presentVersion(cli, store, name);
    const definition = hash === undefined ? undefined : await storedDefinition(store, hash);
    return definition === undefined ? undefined : graphFromDefinition(definition, types, { folder });
  });
}

async function start(
  { box, graphs }: CommandBox,
  graph: Graph | string,
  input: unknown,
  cli: Cli,
  options: RunOptions,
): Promise<RunHandle<unknown>> {
  if (typeof graph === 'string' && !graphs.has(graph)) {
    const labels = await box.engine.labels.list(cli.tenant, graph);
    if (labels.length === 0) throw unknownGraph(graph, [...graphs.keys()], (await cli.config()).path !== undefined);
  }
  const { session, key, requestId, label, decisions } = options;
  return await box.start(graph, input, {
    tenant: cli.tenant,
    as: cli.actor(options.as),
    ...(session === undefined ? {} : { session }),
    ...(key === undefined ? {} : { key }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(label === undefined ? {} : { label }),
    ...(decisions === undefined ? {} : { decisions }),
  });
}
