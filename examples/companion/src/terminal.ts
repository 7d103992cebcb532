import { confirm, input } from '@inquirer/prompts';
import { cleanMessage } from '@signalbox/example-shared';
import { askRequest, createFormTerminal, type FormOutcome } from '@signalbox/terminal-form';
import type { RequestView } from 'signalbox';
import { languageOfQuestion } from './question.ts';
import { speak } from './speak.ts';

/** What a prompt gives, or undefined when it was left with Ctrl-C. */
async function unlessLeft<Value>(prompt: Promise<Value>): Promise<Value | undefined> {
  try {
    return await prompt;
  } catch (error) {
    if (error instanceof Error && error.name === 'ExitPromptError') return undefined;
    throw error;
  }
}

/** The next message; undefined when the user leaves. */
export async function askMessage(): Promise<string | undefined> {
  const text = await unlessLeft(input({ message: 'Message · 留言:' }));
  return text === undefined || /^(?:exit|quit|bye|退出|再见)$/i.test(text.trim()) ? undefined : cleanMessage(text);
}

/** Whether an open question is answered now; undefined when the user leaves. */
export async function offerQuestion(question: RequestView): Promise<boolean | undefined> {
  const say = speak(languageOfQuestion(question));
  return await unlessLeft(
    confirm({
      message: say(`“${question.title}” is open. Answer it now?`, `“${question.title}”还没有答复，现在答复吗？`),
      transformer: yes => (yes ? say('yes', '是') : say('no', '否')),
    }),
  );
}

/** The question as a form, in its own language. */
export async function fillForm(question: RequestView): Promise<FormOutcome> {
  const language = languageOfQuestion(question);
  const terminal = createFormTerminal({ input: process.stdin, output: process.stdout, env: process.env, language });
  return await askRequest(terminal, question);
}
