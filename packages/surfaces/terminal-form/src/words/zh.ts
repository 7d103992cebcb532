import type { FormWords } from './form-words.ts';

const FORMATS: Readonly<Record<string, string>> = {
  date: '必须是存在的日期，例如 2026-03-04',
  'date-time': '必须是带时差的日期和时间，例如 2026-03-04T09:00:00+08:00',
  'local-date-time': '必须是日期和时间，例如 2026-03-04T09:00 或 2026-03-04T09:00:00+08:00',
};

const TYPES: Readonly<Record<string, string>> = {
  string: '文本',
  number: '数字',
  integer: '整数',
  boolean: '是或否',
  array: '列表',
  object: '对象',
  null: 'null',
};

type Params = Readonly<Record<string, unknown>>;

const ISSUES: Readonly<Record<string, (params: Params) => string | undefined>> = {
  required: () => '必填',
  null: () => '不能是 null',
  type: ({ type }) =>
    `必须是${[type]
      .flat()
      .map(one => TYPES[String(one)] ?? String(one))
      .join('或')}`,
  enum: () => '必须是选项之一',
  minimum: ({ limit }) => `不能小于 ${limit}`,
  maximum: ({ limit }) => `不能大于 ${limit}`,
  multipleOf: ({ multipleOf }) => (multipleOf === 1 ? '必须是整数' : `必须是 ${multipleOf} 的倍数`),
  minLength: ({ limit }) => `至少 ${limit} 个字符`,
  maxLength: ({ limit }) => `最多 ${limit} 个字符`,
  pattern: ({ pattern }) => `必须符合格式 ${pattern}`,
  format: ({ format }) => FORMATS[String(format)],
  minItems: ({ limit }) => `至少选择 ${limit} 项`,
  maxItems: ({ limit }) => `最多选择 ${limit} 项`,
  uniqueItems: () => '不能重复',
  hiddenField: () => '按这些值，此项不应填写',
  unknownField: () => '表单中没有此项',
};

export const ZH: FormWords = {
  colon: '：',
  comma: '，',
  steps: {
    approve: '批准',
    edit: '修改后批准',
    reject: '拒绝',
    cancel: '取消此问题',
    again: '修改答复',
    note: '添加备注',
    leave: '暂不答复',
  },
  approve: { form: '提交', choice: '提交', display: '已阅' },
  gaps: {
    parameter: '缺少一个值',
    constraint: '限制条件不明',
    structure: '任务不明确',
    worldState: '实际情况不明',
    preference: '取决于个人偏好',
    approval: '需要批准',
  },
  heading: {
    assigned: '应由谁答复',
    until: '截止',
    summary: '事由',
    purpose: '用途',
    gap: '询问原因',
    context: '背景',
    proposal: '建议',
    confidence: '把握',
    quorum: '已有批准',
    claimed: '已由其认领',
    because: '理由',
    alternative: '其他方案',
    subject: '批准对象',
  },
  field: {
    required: '必填',
    optional: '可不填',
    proposed: '建议值',
    empty: '空文本',
    noAnswer: '不填',
    byDefault: '默认',
    yes: '是',
    no: '否',
    note: '备注',
    nothingChosen: '一项也不选',
    noMatch: '没有匹配的选项',
    between: (min, max) => `${min} 至 ${max}`,
    atLeast: min => `至少 ${min}`,
    atMost: max => `最多 ${max}`,
    characters: range => `${range} 个字符`,
    chosen: range => `选择 ${range} 项`,
    step: step => `每级 ${step}`,
    wholeNumber: '整数',
    date: '日期，例如 2026-03-04',
    datetime: '日期和时间，例如 2026-03-04T09:00',
    zone: zone => `${zone} 当地时间`,
    stored: instant => `= ${instant}`,
  },
  keys: {
    text: '回车：确定 · Ctrl-X：不填或填空文本 · Ctrl-C：暂不答复',
    lines: 'Ctrl-D：确定 · 回车：换行 · Ctrl-X：不填或填空文本 · Ctrl-C：暂不答复',
    one: '↑↓ 移动 · 输入文字查找 · 回车：选择',
    many: '↑↓ 移动 · 空格：勾选 · 输入文字查找 · Ctrl-X：不填或一项也不选 · 回车：确定',
    slider: '←→ 调整 · 数字：直接输入 · Ctrl-X：不填 · 回车：确定',
  },
  faults: {
    required: '必填',
    orEmpty: '必填；按 Ctrl-X 表示空文本',
    number: '必须是数字，例如 12 或 12.5',
  },
  refused: '无法提交',
  more: count => `…… 还有 ${count} 行`,
  issue: (code, params) => ISSUES[code]?.(params),
};
