import type { GivenAnswer } from '@signalbox/kernel';

/**
 * Established answers as a block of text for a prompt. What a person typed stands as JSON text, so that nothing in it
 * can pass for an instruction or for the end of the block.
 */
export function answersText(answers: readonly GivenAnswer[]): string {
  if (answers.length === 0) return '';
  const lines = answers.map(answer => {
    const values = Object.entries(answer.values ?? {}).map(([name, value]) => `  ${name} = ${JSON.stringify(value)}`);
    const note = answer.note === undefined ? [] : [`  note = ${JSON.stringify(answer.note)}`];
    return [
      `- ${JSON.stringify(answer.title)}: ${answer.action} by ${answer.by.kind}:${answer.by.id} at ${answer.at}`,
      ...values,
      ...note,
    ].join('\n');
  });
  return `Confirmed answers (established; do not ask again):\n${lines.join('\n')}`;
}
