import { createRequire } from 'node:module';
import { SignalboxError } from '@signalbox/kernel';
import { Command, CommanderError } from 'commander';
import { Interrupted } from './box/interrupt.ts';
import { Cli, type GlobalOptions } from './cli.ts';
import type { Act } from './commands/command.ts';
import { COMMANDS } from './commands/commands.ts';
import { ToldError } from './error-data.ts';
import { DONE, exitCodeOfError, INTERRUPTED, INVALID } from './exit-code.ts';
import type { Io } from './io.ts';
import { Output, styled } from './output/output.ts';
import { reportError } from './report-error.ts';

const EXIT_CODES = `
Exit codes:
  0    completed, or done
  10   suspended or paused
  1    failed, cancelled or refused
  2    usage or invalid input
  130  interrupted; the run goes on with: signalbox resume RUN`;

export async function runProgram(argv: readonly string[], io: Io): Promise<number> {
  const json = argv.includes('--json');
  const out = new Output(io);
  let code = DONE;
  let cli: Cli | undefined;
  const act: Act = work =>
    async function (this: Command, ...args) {
      cli = new Cli(io, this.optsWithGlobals<GlobalOptions>());
      code = await work(cli, ...args);
    };
  // No option of commander's: that would take `--version` from the commands which have one of their own.
  if (argv[0] === '--version' || argv[0] === '-V') {
    if (json) out.json({ version: ownVersion() });
    else out.line(ownVersion());
    return DONE;
  }
  const usage: string[] = [];
  const program = createProgram(io, json, usage);
  for (const register of COMMANDS) register(program, act);
  endWithReader(io);
  try {
    await program.parseAsync(argv, { from: 'user' });
    return code;
  } catch (error) {
    return tell({ out, cli, help: helpOf(program, argv) }, error, json, usage.join(''));
  }
}

function ownVersion(): string {
  return (createRequire(import.meta.url)('../package.json') as { readonly version: string }).version;
}

function createProgram(io: Io, json: boolean, usage: string[]): Command {
  return new Command('signalbox')
    .description('Decision graphs for AI agents: run, answer, look and steer.')
    .option('--store <store>', 'sqlite:PATH (default: sqlite:.signalbox/signalbox.db)')
    .option('--config <file>', 'the configuration (default: signalbox.config.ts where there is one)')
    .option('--tenant <tenant>', 'whose runs, questions and labels are meant (default: default)')
    .option('--json', 'print one JSON document')
    .helpCommand('help [command]', 'the same as --help of a command')
    .configureHelp({ showGlobalOptions: true, sortSubcommands: false })
    .addHelpText('after', `\n  signalbox --version prints the version.\n${EXIT_CODES}`)
    .showSuggestionAfterError(true)
    .exitOverride()
    .configureOutput({
      writeOut: text => io.stdout.write(text),
      writeErr: text => (json ? usage.push(text) : io.stderr.write(text)),
    });
}

function tell(
  { out, cli, help }: { out: Output; cli: Cli | undefined; help: string },
  error: unknown,
  json: boolean,
  usage: string,
): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return DONE;
    const message = usage.trim().replace(/^error: /, '') || 'A command is wanted; see signalbox --help.';
    if (json) reportError(out, new SignalboxError('Usage', message, { hint: help }), json);
    else if (error.code !== 'commander.help') out.note('  ', styled('cyan', help));
    return INVALID;
  }
  if (error instanceof Interrupted || (error instanceof Error && error.name === 'ExitPromptError')) {
    const runId = error instanceof Interrupted ? error.runId : undefined;
    out.note(
      runId === undefined
        ? 'Stopped; nothing was sent.'
        : `Stopped. It goes on with: ${cli?.next(`resume ${runId}`) ?? `signalbox resume ${runId}`}`,
    );
    return INTERRUPTED;
  }
  if (error instanceof ToldError) return exitCodeOfError(error.cause);
  reportError(out, error, json);
  return exitCodeOfError(error);
}

/** Where the command that was meant is explained. */
function helpOf(program: Command, argv: readonly string[]): string {
  const words = ['signalbox'];
  let command: Command | undefined = program;
  for (const word of argv.filter(one => !one.startsWith('-'))) {
    command = command.commands.find(sub => sub.name() === word);
    if (command === undefined) break;
    words.push(word);
  }
  return `See ${words.join(' ')} --help.`;
}

/** Who reads our output may stop before we do, as `head` does. */
function endWithReader({ stdout }: Io): void {
  stdout.on('error', error => {
    if ((error as { readonly code?: unknown }).code === 'EPIPE') process.exit(DONE);
    throw error;
  });
}
