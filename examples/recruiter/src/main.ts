import { parseArgs } from 'node:util';
import { isSignalboxError, type RunHandle, readCommits, trail } from 'signalbox';
import { openRecruiter } from './open-recruiter.ts';

const USAGE = `npm run recruiter -- "Look up cand_a1b2c3d4"          one message
npm run recruiter -- --answer approve --as finn       decides what is open; reject declines it
npm run recruiter                                     shows what is open`;

const EXIT = { done: 0, failed: 1, usage: 2, waiting: 10 } as const;

type Recruiter = Awaited<ReturnType<typeof openRecruiter>>;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { answer: { type: 'string' }, as: { type: 'string', default: 'recruiter' } },
  });
  const message = positionals.join(' ').trim();
  const recruiter = await openRecruiter('.signalbox');
  try {
    console.log(`(${recruiter.model})`);
    const as = `user:${values.as}` as const;
    if (values.answer !== undefined) return await answer(recruiter, values.answer, as);
    if (message !== '')
      return await show(recruiter, (await recruiter.session.send(recruiter.graph, message, { as })).run);
    return await showOpen(recruiter);
  } finally {
    await recruiter.close();
  }
}

async function answer(recruiter: Recruiter, action: string, as: `user:${string}`): Promise<number> {
  const [open] = (await recruiter.session.inbox()).rows;
  if (open === undefined) {
    console.log('No question is open.');
    return EXIT.failed;
  }
  await recruiter.box.answer(open.requestId, { action, as });
  return await show(recruiter, recruiter.box.get(open.runId));
}

async function show(recruiter: Recruiter, run: RunHandle<unknown>): Promise<number> {
  const view = await run.settled();
  const way = await trail(readCommits(recruiter.box.store, run.id));
  if (view.status === 'suspended') return await showOpen(recruiter);
  console.log(view.status === 'completed' ? `◂ ${view.output}` : `The run is ${view.status}.`);
  console.log(`  ${way}`);
  return view.status === 'completed' ? EXIT.done : EXIT.failed;
}

async function showOpen({ session, box }: Recruiter): Promise<number> {
  const { rows } = await session.inbox();
  for (const { runId } of rows) {
    const view = await box.get(runId).settled();
    for (const { title, context } of view.requests)
      console.log(`? ${title}\n${(context as { arguments?: string } | undefined)?.arguments ?? ''}`);
  }
  if (rows.length === 0) console.log(USAGE);
  return rows.length === 0 ? EXIT.usage : EXIT.waiting;
}

function exitCodeOf(error: unknown): number {
  if (isSignalboxError(error)) {
    console.error([`${error.code}: ${error.message}`, error.hint].filter(Boolean).join('\n'));
    return EXIT.failed;
  }
  if (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')) {
    console.error(`${error.message}\n\n${USAGE}`);
    return EXIT.usage;
  }
  throw error;
}

process.exitCode = await main().catch(exitCodeOf);
