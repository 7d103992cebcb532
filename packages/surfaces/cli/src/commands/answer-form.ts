import type { RunHandle } from '@signalbox/core';
import { type Action, type Issue, isSignalboxError, type JsonObject } from '@signalbox/kernel';
import type { RequestView } from '@signalbox/runtime';
import type { AskOptions } from '@signalbox/terminal-form';
import { Interrupted } from '../box/interrupt.ts';
import type { CommandBox } from '../box/open-box.ts';
import type { Cli } from '../cli.ts';

export interface FormOptions {
  readonly action?: Action;
  readonly note?: string;
  readonly as?: string;
  readonly key?: string;
}

/**
 * Shows the form of a question and sends what was filled in; what the kernel refuses goes back into the form. Undefined: the
 * question was left open.
 * @throws Interrupted after Ctrl-C
 */
export async function answerByForm(
  cli: Cli,
  { box }: CommandBox,
  view: RequestView,
  { as, key, ...said }: FormOptions,
): Promise<RunHandle<unknown> | undefined> {
  // What shows forms is loaded when one is shown: no other command pays for it.
  const { askRequest, createFormTerminal } = await import('@signalbox/terminal-form');
  const { stdin: input, stdout: output, env } = cli.io;
  const terminal = createFormTerminal({ input, output, env });
  for (let again: AskOptions = {}; ; ) {
    const outcome = await askRequest(terminal, view, { ...said, ...again });
    if (outcome.kind === 'interrupted') throw new Interrupted();
    if (outcome.kind === 'leftOpen') return undefined;
    try {
      return await box.answer(view.id, {
        ...outcome.answer,
        // What is approved is what was shown.
        ...(view.subject === undefined ? {} : { subject: view.subject }),
        as: cli.actor(as),
        ...(key === undefined ? {} : { key }),
      });
    } catch (error) {
      const issues = issuesOf(error);
      if (issues === undefined) throw error;
      again = { heading: false, refused: { values: outcome.answer.values ?? ({} as JsonObject), issues } };
    }
  }
}

function issuesOf(error: unknown): readonly Issue[] | undefined {
  if (!isSignalboxError(error) || error.code !== 'InvalidAnswer') return undefined;
  return error.details.issues as unknown as readonly Issue[];
}
