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

  it(
    'gives a configuration the CommonJS packages that its files import, even one that speaks of imports',
    async () => {
      const shop = new Workbench();
      const legacy = "// It imports the learnings from JSON.\nmodule.exports = () => 'from long ago';\n";
      shop.file('node_modules/legacy/index.js', legacy);
      shop.file('node_modules/legacy/package.json', '{ "name": "legacy", "version": "1.0.0" }');
      shop.file(
        'graph.ts',
        `import legacy from 'legacy';
import { defineGraph } from 'signalbox';
import { z } from 'zod';
const old = defineGraph({ name: 'old', input: z.object({}) });
export const graph = old.build({ entry: 'a', nodes: { a: old.step(() => ({ text: legacy() })) }, routes: {} });
`,
      );
      shop.file('signalbox.config.ts', "import { graph } from './graph.ts';\nexport default { graphs: [graph] };\n");
      const terminal = shop.terminal({}, 'run', 'old');
      expect(await terminal.ended).toBe(0);
      expect(terminal.shown()).toContain('output {"text":"from long ago"}');

      shop.file('bare.config.ts', "import { graph } from './graph.ts';\nexport const graphs = [graph];\n");
      const bare = shop.terminal({}, 'run', 'old', '--config', 'bare.config.ts');
      expect(await bare.ended).toBe(2);
      expect(bare.shown()).toContain('It has no default export.');
      shop.remove();
    },
    PAUSED_MS,
  );
});
