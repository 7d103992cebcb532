import { checkFields, type Display, type JsonObject } from '@signalbox/kernel';
import { describe, expect, it } from 'vitest';
import { askRequest } from './form/ask-request.ts';
import type { FormRequest } from './form/form-request.ts';
import { requestLines } from './form/request-lines.ts';
import {
  BACKSPACE,
  CTRL_C,
  CTRL_D,
  CTRL_X,
  DOWN,
  ENTER,
  LEFT,
  RIGHT,
  SPACE,
  UP,
  VirtualTerminal,
} from './testing/virtual-terminal.ts';
import { displayWidth } from './text/width.ts';

function requestOf(fields: readonly JsonObject[], rest: Partial<FormRequest> = {}): FormRequest {
  const read = checkFields(fields, '');
  expect(read.faults).toEqual([]);
  return { kind: 'form', title: 'Well?', fields: read.fields, ...rest };
}

/** Shows a form of these fields to somebody who may be asked to press keys. */
function show(fields: readonly JsonObject[], rest: Partial<FormRequest> = {}, language: 'en' | 'zh' = 'en') {
  const desk = new VirtualTerminal();
  const outcome = askRequest(desk.form({ language }), requestOf(fields, rest));
  return { desk, outcome };
}

const answered = (values: JsonObject, action = 'approve') => ({ kind: 'answered', answer: { action, values } });

describe('writing a text', () => {
  it('takes Chinese as an input method gives it, with the cursor where the next character goes', async () => {
    const { desk, outcome } = show([{ name: 'note', type: 'text', label: '备注' }]);
    await desk.answer('? 备注', '退款');
    await desk.sees('› 退款');
    expect(await desk.cursor()).toEqual({ row: '› 退款', column: 6 });
    desk.press('，明天', LEFT, LEFT, '请');
    await desk.sees('› 退款，请明天');
    expect(await desk.cursor()).toEqual({ row: '› 退款，请明天', column: 10 });
    desk.press(ENTER);
    await desk.answer('? Well?', ENTER);
    expect(await outcome).toEqual(answered({ note: '退款，请明天' }));
  });

  it('keeps the cursor right in wide text over several rows', async () => {
    const { desk, outcome } = show([{ name: 'note', type: 'text', label: 'Note' }]);
    const text = '长'.repeat(100);
    await desk.answer('? Note', text);
    await desk.sees(text.slice(76));
    expect(await desk.cursor()).toEqual({ row: `  ${'长'.repeat(24)}`, column: 50 });
    desk.press(UP, 'x', ENTER);
    await desk.answer('? Well?', ENTER);
    expect(await outcome).toEqual(answered({ note: `x${text}` }));
    expect((await desk.screen()).filter(row => row.includes('? Note'))).toHaveLength(0);
  });

  it('takes several lines, which are edited as a whole, until Ctrl-D', async () => {
    const { desk, outcome } = show([{ name: 'note', type: 'textarea', label: 'Note' }]);
    await desk.answer('? Note', 'one\rthree\rfour', UP, UP, '!', DOWN, 'X', CTRL_D);
    await desk.answer('? Well?', ENTER);
    expect(await outcome).toEqual(answered({ note: 'one!\nthreXe\nfour' }));
  });

  it('tells no answer from an empty text', async () => {
    const fields: JsonObject[] = [
      { name: 'a', type: 'text', label: 'A' },
      { name: 'b', type: 'text', label: 'B' },
      { name: 'c', type: 'text', label: 'C', required: true },
      { name: 'd', type: 'text', label: 'D', default: 'n/a' },
    ];
    const { desk, outcome } = show(fields);
    await desk.answer('? A', ENTER);
    await desk.answer('? B', CTRL_X, ENTER);
    await desk.answer('? C', ENTER);
    await desk.answer('is required; Ctrl-X says that it is empty', CTRL_X, ENTER);
    await desk.answer('? D', CTRL_X, ENTER);
    await desk.answer('? Well?', ENTER);
    expect(await outcome).toEqual(answered({ b: '', c: '' }));
    expect(await desk.screen()).toContain('✔ A: (no answer)');
    expect(await desk.screen()).toContain('✔ B: (empty text)');
  });

  it('reads the digits that a Chinese input method writes, and says what instant a local time is', async () => {
    const desk = new VirtualTerminal();
    const request = requestOf([
      { name: 'n', type: 'number', label: 'N' },
      { name: 'at', type: 'datetime', label: 'At' },
    ]);
    const outcome = askRequest(desk.form({ zone: 'Asia/Shanghai' }), request);
    await desk.answer('? N', '－１２．５', ENTER);
    await desk.answer('? At', '2026-03-04T09:00');
    await desk.answer('= 2026-03-04T01:00:00.000Z', ENTER);
    await desk.answer('? Well?', ENTER);
    expect(await outcome).toEqual(answered({ n: -12.5, at: '2026-03-04T09:00' }));
  });
});

describe('choosing', () => {
  const options = Array.from({ length: 40 }, (_, index) => ({ value: `v${index}`, label: `选项 ${index}` }));

  it('finds one of many by what is typed, and shows what it means', async () => {
    const { desk, outcome } = show([
      {
        name: 'one',
        type: 'select',
        label: 'One',
        required: true,
        options: [...options, { value: 'z', label: 'Zet', description: '最后的' }],
      },
    ]);
    await desk.answer('? One', 'zE');
    await desk.answer('最后的', ENTER);
    await desk.answer('? Well?', ENTER);
    expect(await outcome).toEqual(answered({ one: 'z' }));
  });

  it('holds a list to its limits, and leaves out what need not be answered', async () => {
    const { desk, outcome } = show([
      { name: 'few', type: 'multiselect', label: 'Few', options: ['a', 'b', 'c'], min: 1, max: 2 },
      { name: 'none', type: 'multiselect', label: 'None', options: ['a'], min: 1 },
      { name: 'empty', type: 'checkbox', label: 'Empty', options: ['a'] },
    ]);
    await desk.answer('? Few', SPACE, DOWN, SPACE, DOWN, SPACE, ENTER);
    await desk.answer('must have at most 2 entries', SPACE, ENTER);
    await desk.answer('? None', ENTER);
    await desk.answer('? Empty', CTRL_X, ENTER);
    await desk.answer('? Well?', ENTER);
    expect(await outcome).toEqual(answered({ few: ['a', 'b'], empty: [] }));
  });

  it('moves a slider by its steps, in decimal, and takes digits', async () => {
    const { desk, outcome } = show([
      { name: 'a', type: 'slider', label: 'A', min: 0, max: 1, step: 0.05, unit: 'h' },
      { name: 'b', type: 'slider', label: 'B', min: 0, max: 10, step: 2 },
    ]);
    await desk.answer('? A', RIGHT, RIGHT, RIGHT, RIGHT);
    await desk.answer('› 0.15 h', ENTER);
    await desk.answer('? B', '3', ENTER);
    await desk.answer('must be a multiple of 2', BACKSPACE, '8', ENTER);
    await desk.answer('? Well?', ENTER);
    expect(await outcome).toEqual(answered({ a: 0.15, b: 8 }));
  });
});

describe('a whole form', () => {
  it('asks for what depends on a later field, and drops what is hidden in the end', async () => {
    const { desk, outcome } = show([
      { name: 'why', type: 'text', label: 'Why', showIf: 'values.sure == false' },
      { name: 'sure', type: 'boolean', label: 'Sure', required: true },
      { name: 'more', type: 'text', label: 'More', showIf: 'values.sure' },
    ]);
    // What cannot be decided yet is asked for.
    await desk.answer('? Why', 'so', ENTER);
    await desk.answer('? Sure', ENTER);
    await desk.answer('? More', 'm', ENTER);
    await desk.answer('? Well?', ENTER);
    expect(await outcome).toEqual(answered({ sure: true, more: 'm' }));
  });

  it('offers what is proposed, lets it be changed, and takes a note', async () => {
    const { desk, outcome } = show([{ name: 'amount', type: 'number', label: 'Amount', min: 0, max: 500 }], {
      proposal: {
        values: { amount: 20 },
        confidence: 0.4,
        reason: 'as before',
        alternatives: [{ values: { amount: 10 }, reason: 'half' }],
      },
    });
    await desk.sees('Proposed (confidence 40%): Amount: 20');
    await desk.sees('Alternative: Amount: 10 — half');
    await desk.answer('? Amount', ENTER);
    await desk.answer('? Well?', DOWN, ENTER);
    await desk.answer('? Amount', BACKSPACE, BACKSPACE, '7', ENTER);
    await desk.answer('? Well?', 'note', ENTER);
    await desk.answer('? Note', '电话商定', ENTER);
    await desk.answer('? Well?', ENTER);
    expect(await outcome).toEqual({
      kind: 'answered',
      answer: { action: 'approve', values: { amount: 7 }, note: '电话商定' },
    });
  });

  it.each([
    ['Ctrl-C', CTRL_C],
    ['Ctrl-D', CTRL_D],
  ])('left with %s answers nothing', async (_, key) => {
    const { desk, outcome } = show([{ name: 'a', type: 'text', label: 'A' }]);
    await desk.answer('? A', 'x', key);
    expect(await outcome).toEqual({ kind: 'interrupted' });
    await new Promise(proceed => setImmediate(proceed));
    // An input that is still read would keep the process from ending.
    expect(desk.input.isPaused()).toBe(true);
  });

  it('answers nothing when its input ends', async () => {
    const { desk, outcome } = show([{ name: 'a', type: 'select', label: 'A', options: ['x'] }]);
    await desk.sees('? A');
    desk.input.end();
    expect(await outcome).toEqual({ kind: 'interrupted' });
  });

  it('rejects with a note, whatever stands in the fields', async () => {
    const { desk, outcome } = show([], { kind: 'confirmation', actions: { approve: 'Pay', reject: 'Do not pay' } });
    await desk.answer('❯ Pay', DOWN, ENTER);
    await desk.answer('? Note', 'too much', ENTER);
    expect(await outcome).toEqual({ kind: 'answered', answer: { action: 'reject', note: 'too much' } });
    expect(await desk.screen()).toContain('✔ Well?: Do not pay');
  });

  it('tells why an answer was refused, with its values in the fields', async () => {
    const desk = new VirtualTerminal();
    const issues = [{ pointer: '/a', code: 'rule', message: 'must not be after B' }];
    const outcome = askRequest(desk.form(), requestOf([{ name: 'a', type: 'number', label: 'A' }]), {
      refused: { values: { a: 3 }, issues },
    });
    await desk.sees('! A: must not be after B');
    await desk.answer('› 3', BACKSPACE, '2', ENTER);
    await desk.answer('? Well?', ENTER);
    expect(await outcome).toEqual(answered({ a: 2 }));
  });

  it('holds the values against the rules across fields before anything is sent', async () => {
    const { desk, outcome } = show(
      [
        { name: 'from', type: 'number', label: 'From', required: true },
        { name: 'to', type: 'number', label: 'To', required: true },
      ],
      { rules: [{ assert: 'values.to >= values.from', message: 'must not be less than From', fields: ['to'] }] },
    );
    await desk.answer('? From', '3', ENTER);
    await desk.answer('? To', '2', ENTER);
    await desk.sees('! To: must not be less than From');
    await desk.answer('? From', ENTER);
    await desk.answer('? To', BACKSPACE, '3', ENTER);
    await desk.answer('? Well?', ENTER);
    expect(await outcome).toEqual(answered({ from: 3, to: 3 }));
  });

  it('shows who has approved, and offers what they have', async () => {
    const { desk, outcome } = show([{ name: 'amount', type: 'number', label: 'Amount' }], {
      proposal: { values: { amount: 20 } },
      quorum: 2,
      endorsedBy: [{ kind: 'user', id: 'mia' }],
      standing: { amount: 15 },
      claimedBy: { kind: 'user', id: 'li' },
    });
    await desk.sees('Taken by: user:li');
    await desk.sees('Approvals so far: 1/2 (user:mia)');
    await desk.answer('› 15', ENTER);
    await desk.answer('? Well?', ENTER);
    expect(await outcome).toEqual(answered({ amount: 15 }));
  });

  it('speaks Chinese where it is told so', async () => {
    const { desk, outcome } = show(
      [{ name: 'a', type: 'number', label: '金额', max: 5, required: true }],
      { kind: 'form' },
      'zh',
    );
    await desk.answer('? 金额', '9', ENTER);
    await desk.answer('不能大于 5', BACKSPACE, '4', ENTER);
    await desk.answer('❯ 提交', ENTER);
    expect(await outcome).toEqual(answered({ a: 4 }));
  });

  it('needs a terminal', () => {
    const desk = new VirtualTerminal();
    desk.input.isTTY = false;
    expect(() => desk.form()).toThrow(expect.objectContaining({ code: 'NotInteractive' }));
  });
});

const EVIL = '\u001b[31mred\u001b]0;title\u0007\u009b2J\r\nnext\u202eback\u0000';

const DISPLAYS: readonly Display[] = [
  {
    type: 'table',
    title: '订单',
    columns: [
      { key: 'order', label: '订单号' },
      { key: 'what', label: 'What it is about' },
      { key: 'cents', label: 'Amount', unit: 'ct', align: 'right' },
    ],
    rows: [
      { order: 'R-17', what: '重复扣款，客户要求全额退款并致歉，另附赠优惠券一张'.repeat(2), cents: 1999 },
      {
        order: 'R-18',
        what: 'Charged twice for one and the same delivery of a rather long description',
        cents: 5,
        more: 1,
      },
    ],
  },
  {
    type: 'text',
    text: `A text that is somewhat longer than a line of eighty columns can be, so that it wraps.\n第二行`,
  },
  { type: 'ascii', text: '+--+\n|  |\n+--+' },
  {
    type: 'markdown',
    text: '# 标题\n\nA **bold** [link](https://example.org) & <b>html</b>\n\n1. one\n2. two\n   - deep\n\n> quoted\n\n```\ncode\n```\n\n| a | b |\n|---|---|\n| 甲 | 2 |',
  },
  { type: 'json', value: { 名称: '值', list: [1, { deep: true }] } },
  { type: 'diff', before: 'same\nold 旧\nend', after: 'same\nnew 新\nend' },
  { type: 'diff', before: { amount: 20 }, after: { amount: 7 } },
];

describe('what is shown before a question', () => {
  it('fits into 80 columns, whatever is displayed', () => {
    const lines = requestLines(
      new VirtualTerminal(80).form(),
      requestOf([], {
        title: '这是一个非常长的标题，'.repeat(8),
        message: 'Charged twice!\n请尽快处理。',
        summary: 'an order',
        purpose: 'the refund',
        gap: 'approval',
        context: { lang: 'zh', nested: { a: 1 } },
        deadline: '2026-03-04T09:00:00.000Z',
        assignees: ['role:finance'],
        displays: DISPLAYS,
      }),
    );
    expect(lines.filter(line => displayWidth(line) > 80)).toEqual([]);
    expect(lines.join('\n')).toMatchInlineSnapshot(`
      "这是一个非常长的标题，这是一个非常长的标题，这是一个非常长的标题，这是一个非常
      长的标题，这是一个非常长的标题，这是一个非常长的标题，这是一个非常长的标题，这
      是一个非常长的标题，
        For: role:finance
        Until: 4 Mar 2026, 09:00 (UTC)
        Charged twice!
        请尽快处理。
        About: an order
        Used for: the refund
        Asked because: it needs approval
        lang: zh
        nested: {"a":1}

        订单
        订单号  What it is about                                          Amount (ct)
        ──────  ────────────────────────────────────────────────────────  ───────────
        R-17    重复扣款，客户要求全额退款并致歉，另附赠优惠券一张重复扣         1999
                款，客户要求全额退款并致歉，另附赠优惠券一张
        R-18    Charged twice for one and the same delivery of a rather             5
                long description

        A text that is somewhat longer than a line of eighty columns can be, so that
        it wraps.
        第二行

        +--+
        |  |
        +--+

        标题
        ════════════════════════════════════════
        
        A bold link (https://example.org) & <b>html</b>
        
        1. one
        2. two
           • deep
        
        │ quoted
        
          code
        
        a   b
        ──  ─
        甲  2

        {
          "名称": "值",
          "list": [
            1,
            {
              "deep": true
            }
          ]
        }

        @@ -1,3 +1,3 @@
          same
        - old 旧
        + new 新
          end

        @@ -1,3 +1,3 @@
          {
        -   "amount": 20
        +   "amount": 7
          }"
    `);
  });

  it('tells a table of too many columns row by row', () => {
    const columns = Array.from({ length: 20 }, (_, index) => ({ key: `k${index}`, label: `K${index}` }));
    const lines = requestLines(
      new VirtualTerminal(80).form(),
      requestOf([], { displays: [{ type: 'table', columns, rows: [{ k0: 'a', k19: 'b' }] }] }),
    );
    expect(lines.filter(line => line.includes('K19'))).toEqual(['  K19: b']);
  });

  it('does nothing to the terminal, whatever is in the texts', async () => {
    const displays: Display[] = [
      {
        type: 'table',
        title: EVIL,
        columns: [{ key: 'a', label: EVIL, unit: EVIL }],
        rows: [{ a: EVIL }, { a: [EVIL] }],
      },
      { type: 'text', text: EVIL },
      { type: 'ascii', text: EVIL },
      {
        type: 'markdown',
        text: `# ${EVIL}\n\n${EVIL} \`${EVIL}\` [${EVIL}](http://x/${EVIL})\n\n- ${EVIL}\n\n&#27;[31m`,
      },
      { type: 'json', value: { [EVIL]: EVIL } },
      { type: 'diff', before: EVIL, after: `${EVIL}!` },
    ];
    const { desk, outcome } = show(
      [
        { name: 'a', type: 'text', label: EVIL, description: EVIL, placeholder: EVIL },
        {
          name: 'b',
          type: 'select',
          label: 'B',
          options: [{ value: EVIL, label: EVIL, description: EVIL }],
          required: true,
        },
        { name: 'c', type: 'slider', label: 'C', min: 0, max: 1, unit: EVIL },
        { name: 'd', type: 'textarea', label: 'D' },
      ],
      {
        title: EVIL,
        message: EVIL,
        summary: EVIL,
        purpose: EVIL,
        context: { [EVIL]: EVIL },
        assignees: [EVIL],
        displays,
        actions: { approve: EVIL },
        proposal: { values: { a: EVIL, d: EVIL, [EVIL]: EVIL }, reason: EVIL, alternatives: [EVIL, { [EVIL]: EVIL }] },
      },
    );
    await desk.answer('\\u{1b}[31mred', ENTER);
    await desk.answer('? B', ENTER);
    await desk.answer('? C', ENTER);
    await desk.answer('? D', CTRL_D);
    await desk.answer('❯ \\u{1b}[31mred', ENTER);
    // What was not touched is what was proposed, to the last character.
    expect(await outcome).toMatchObject(answered({ a: EVIL, b: EVIL, d: EVIL }));
    const written = desk.written.replace(OURS, '');
    expect([...written].filter(character => /[\p{Cc}\p{Cf}]/u.test(character) && character !== '\n')).toEqual([]);
  });
});

/** The movements of the cursor and the clearing of lines that the library draws with. */
const OURS = new RegExp(`${String.fromCharCode(27)}\\[(?:\\d*[ABCDGK]|2K|\\?25[hl])|\\r`, 'g');
