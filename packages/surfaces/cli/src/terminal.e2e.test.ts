import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunJson } from './testing/documents.ts';
import { CTRL_C, CTRL_D, DOWN, ENTER, Workbench } from './testing/workbench.ts';

const PAUSED_MS = 120_000;
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

const ORDER = `name: order
entry: q
nodes:
  q:
    type: ask
    request:
      kind: form
      title: 订单如何处理？
      fields:
        - { name: who, type: text, label: 收件人, required: true, max: 4 }
        - { name: remark, type: textarea, label: 备注 }
        - { name: speed, type: radio, label: 配送, options: [{ value: slow, label: 普通 }, { value: fast, label: 加急 }], required: true }
        - { name: hours, type: slider, label: 时间, min: 0, max: 10, step: 1, unit: 小时 }
`;

let bench: Workbench;

beforeAll(() => {
  // The command as it is installed: what was built must be what the sources say now.
  execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-b'], { cwd: ROOT });
  bench = new Workbench();
  bench.file('order.yaml', ORDER);
}, PAUSED_MS);
afterAll(() => bench.remove());

async function asked(): Promise<RunJson> {
  return (await bench.json<RunJson>('run', 'order.yaml')).json;
}

describe('the built command in a real terminal', () => {
  it(
    'takes Chinese texts, choices and a slider, in Chinese where the environment is',
    async () => {
      const { runId, requests } = await asked();
      const terminal = bench.terminal(
        { LANG: 'zh_CN.UTF-8', LC_ALL: '' },
        'answer',
        requests[0]!.id,
        '--as',
        'user:finn',
      );
      await terminal.answer('? 收件人', `王小明收到${ENTER}`);
      await terminal.answer('最多 4 个字符', `\u007f\u007f${ENTER}`);
      await terminal.answer('? 备注', `第一行${ENTER}第二行 ok${CTRL_D}`);
      await terminal.answer('? 配送', DOWN + ENTER);
      await terminal.answer('? 时间', `\u001b[C\u001b[C\u001b[C${ENTER}`);
      await terminal.answer('❯ 提交', ENTER);
      expect(await terminal.ended).toBe(0);
      const { json } = await bench.json<RunJson>('show', runId);
      expect(json.output).toMatchObject({
        action: 'approve',
        values: { who: '王小明', remark: '第一行\n第二行 ok', speed: 'fast', hours: 2 },
        by: { kind: 'user', id: 'finn' },
      });
    },
    PAUSED_MS,
  );

  it(
    'left with Ctrl-C ends with 130, and the question is open',
    async () => {
      const { runId, requests } = await asked();
      const terminal = bench.terminal({ LANG: 'C' }, 'answer', requests[0]!.id);
      await terminal.answer('? 收件人', `王${CTRL_C}`);
      expect(await terminal.ended).toBe(130);
      expect(terminal.shown()).toContain('Stopped; nothing was sent.');
      expect((await bench.json<RunJson>('show', runId)).json).toMatchObject({ status: 'suspended' });
    },
    PAUSED_MS,
  );
});
