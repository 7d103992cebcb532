import { z } from 'zod';
import { answerTo, type Facts, resultOf } from '../facts.ts';
import { ask, call, type Move, reply } from '../move.ts';
import { speak } from '../speak.ts';
import { closedSchema, type Tab, tabsSchema } from '../tools/browser-tabs.ts';

const whichSchema = z.object({ choice: z.string() });

/** Nobody here sees the screen: which tab is meant is told by its name, by there being no other, or by the user. */
export function tab(facts: Facts): Move {
  const say = speak(facts.lang);
  const closed = resultOf(facts, 'close-tab', closedSchema);
  if (closed !== undefined)
    return reply(
      closed.wasOpen
        ? say(`Closed “${closed.title}”.`, `已关闭“${closed.title}”。`)
        : say('That tab is closed already.', '那个标签页已经关了。'),
    );
  const which = answerTo(facts, 'tab.which', whichSchema);
  if (which !== undefined) return call('close-tab', { tab: which.choice }, 'the user said which');
  const open = resultOf(facts, 'list-tabs', tabsSchema);
  if (open === undefined) return call('list-tabs', {}, 'which tabs are open is not known');
  const [first, second] = named(open, facts.message);
  if (first !== undefined && second === undefined) return call('close-tab', { tab: first.id }, 'the message names it');
  if (open.length === 0) return reply(say('No tab is open.', '没有打开的标签页。'));
  if (open.length === 1) return call('close-tab', { tab: open[0]!.id }, 'no other is open');
  return ask('tab.which', 'which tab the user looks at cannot be seen from here', {
    title: say('Which tab do you mean?', '你说的是哪个标签页？'),
    message: say('I cannot see your screen.', '我看不到你的屏幕。'),
    gap: 'worldState',
    purpose: 'closes this tab and no other',
    options: open.map(({ id, title, url }) => ({ value: id, label: title, description: url })),
  });
}

function named(open: readonly Tab[], message: string): readonly Tab[] {
  const text = message.toLowerCase();
  return open.filter(({ words }) => words.some(word => text.includes(word)));
}
