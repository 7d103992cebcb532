import type { GivenAnswer, JsonValue, Principal } from '@signalbox/kernel';

/** As JSON on one line, for readers that take U+2028 and U+2029 as line ends too. */
function quoted(value: JsonValue): string {
  return JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}

function nameText(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : quoted(name);
}

function byText({ kind, id, onBehalfOf }: Principal): string {
  return onBehalfOf === undefined ? `${kind}:${id}` : `${kind}:${id} for ${onBehalfOf}`;
}

/**
 * Established answers as a block of text for a prompt. What a person typed, their name included, stands as JSON text, so that nothing in it
 * can pass for an instruction or for the end of the block.
 */
export function answersText(answers: readonly GivenAnswer[]): string {
  if (answers.length === 0) return '';
  const lines = answers.map(answer => {
    const values = Object.entries(answer.values ?? {}).map(([name, value]) => `  ${nameText(name)} = ${quoted(value)}`);
    const note = answer.note === undefined ? [] : [`  note = ${quoted(answer.note)}`];
    return [
      `- ${quoted(answer.title)}: ${answer.action} by ${quoted(byText(answer.by))} at ${answer.at}`,
      ...values,
      ...note,
    ].join('\n');
  });
  return `Confirmed answers (established; do not ask again):\n${lines.join('\n')}`;
}
