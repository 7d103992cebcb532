import { z } from 'zod';
import { speak } from '../speak.ts';
import { defineTool, noArgs } from './tool.ts';

export const FOLDERS = [
  { id: 'documents', en: 'Documents', zh: '文档' },
  { id: 'photos', en: 'Photos', zh: '照片' },
  { id: 'desktop', en: 'Desktop', zh: '桌面' },
] as const;

/** What does not apply is left out: without a backup there is no schedule, and every hour has no time of day. */
export const settingsSchema = z.strictObject({
  enabled: z.boolean(),
  schedule: z.enum(['hourly', 'daily', 'weekly']).optional(),
  time: z.string().optional(),
  folders: z.array(z.string()).optional(),
  copies: z.number().optional(),
});
export type BackupSettings = z.infer<typeof settingsSchema>;

const AT_FIRST: BackupSettings = {
  enabled: true,
  schedule: 'weekly',
  time: '22:00',
  folders: ['documents'],
  copies: 4,
};

export const readSettings = defineTool({
  effect: 'read',
  args: noArgs,
  perform: (_, { ledger }) => settingsSchema.parse(ledger.list('settings').at(-1) ?? AT_FIRST),
});

export const saveSettings = defineTool({
  effect: 'once',
  args: z.strictObject({ before: settingsSchema, after: settingsSchema }),
  approval({ before, after }, lang) {
    const say = speak(lang);
    return {
      kind: 'confirmation',
      title: say('Change the backup like this?', '这样修改备份吗？'),
      purpose: 'configures the backup',
      displays: [{ type: 'diff', before, after }],
      actions: { approve: say('Change it', '修改'), reject: say('Leave it', '不修改') },
    };
  },
  perform: ({ after }, { ledger, key }) => ({ number: ledger.add({ key, kind: 'settings', detail: after }) }),
});
