import { answerTo, type Facts, resultOf } from '../facts.ts';
import { ask, call, type Move, reply } from '../move.ts';
import { type Speak, speak } from '../speak.ts';
import { type BackupSettings, FOLDERS, settingsSchema } from '../tools/backup-settings.ts';

/** Configures a system: a form that holds what is set now, whose fields depend on each other. */
export function backup(facts: Facts): Move {
  const say = speak(facts.lang);
  if (facts.result?.tool === 'save-settings')
    return reply(
      facts.result.status === 'done'
        ? say('The backup is configured.', '备份已设置好。')
        : say('The backup stays as it was.', '备份保持原样。'),
    );
  const now = resultOf(facts, 'read-settings', settingsSchema);
  if (now === undefined) return call('read-settings', {}, 'what is set now is not known');
  const wished = answerTo(facts, 'backup.settings', settingsSchema);
  if (wished === undefined) return askSettings(now, say);
  if (JSON.stringify(wished) === JSON.stringify(now))
    return reply(say('That is how it is set now.', '现在就是这样设置的。'));
  return call('save-settings', { before: now, after: wished }, 'the user changed the settings');
}

function askSettings(now: BackupSettings, say: Speak): Move {
  return ask('backup.settings', 'how it shall be is not known', {
    title: say('How shall the backup work?', '备份怎么做？'),
    gap: 'parameter',
    purpose: 'configures the backup',
    fields: [
      { name: 'enabled', type: 'boolean', label: say('Back up', '启用备份'), required: true },
      {
        name: 'schedule',
        type: 'radio',
        label: say('How often', '频率'),
        required: true,
        showIf: 'values.enabled',
        options: [
          { value: 'hourly', label: say('every hour', '每小时') },
          { value: 'daily', label: say('every day', '每天') },
          { value: 'weekly', label: say('every week', '每周') },
        ],
      },
      {
        name: 'time',
        type: 'text',
        label: say('Time of day', '时间'),
        required: true,
        pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$',
        placeholder: '23:30',
        showIf: "values.enabled && values.schedule != 'hourly'",
      },
      {
        name: 'folders',
        type: 'checkbox',
        label: say('Folders', '文件夹'),
        required: true,
        min: 1,
        showIf: 'values.enabled',
        options: FOLDERS.map(({ id, en, zh }) => ({ value: id, label: say(en, zh) })),
      },
      {
        name: 'copies',
        type: 'slider',
        label: say('Copies to keep', '保留份数'),
        required: true,
        min: 1,
        max: 60,
        step: 1,
        showIf: 'values.enabled',
      },
    ],
    rules: [
      {
        when: "has(values.schedule) && values.schedule == 'hourly' && has(values.copies)",
        assert: 'values.copies >= 24',
        message: say('hourly copies are kept for a day at least: 24', '每小时备份至少保留一天：24 份'),
        fields: ['copies'],
      },
    ],
    proposal: { values: now, reason: say('as it is set now', '现在的设置') },
  });
}
