import { z } from 'zod';
import { readData } from './data-file.ts';
import type { Ledger } from './ledger.ts';
import { defineTool, noArgs } from './tool.ts';

const tabSchema = z.strictObject({ id: z.string(), title: z.string(), url: z.string(), words: z.array(z.string()) });
export type Tab = z.infer<typeof tabSchema>;
export const tabsSchema = z.array(tabSchema);
export const closedSchema = z.object({ title: z.string(), wasOpen: z.boolean() });

const closing = z.object({ tab: z.string() });
const TABS = readData('tabs', tabSchema);

function openTabs(ledger: Ledger): readonly Tab[] {
  const closed = new Set(ledger.list('closed-tab').map(detail => closing.parse(detail).tab));
  return TABS.filter(({ id }) => !closed.has(id));
}

export const listTabs = defineTool({ effect: 'read', args: noArgs, perform: (_, { ledger }) => openTabs(ledger) });

export const closeTab = defineTool({
  effect: 'once',
  args: z.strictObject({ tab: z.string() }),
  perform({ tab }, { ledger, key }) {
    const isOpen = openTabs(ledger).some(({ id }) => id === tab);
    const wasOpen = isOpen || ledger.has(key);
    if (isOpen) ledger.add({ key, kind: 'closed-tab', detail: { tab } });
    return { title: TABS.find(({ id }) => id === tab)?.title ?? tab, wasOpen };
  },
});
