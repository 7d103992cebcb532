/** W8: the tool gate by itself, for a tool of six arguments with a condition, a bound argument, a limit and a rule. */
import { compileContract, judgeCall, readContract } from '@signalbox/kernel';
import { expect, now, quantile } from '../lib/measure.mjs';

const WARM = 20_000;

const CONTRACT = {
  agent_name: 'refund-desk',
  allowed_tools: [
    {
      name: 'refund',
      when: 'state.verified',
      bind: { order: 'state.orders' },
      limits: { perRun: 3 },
      input_schema: {
        type: 'object',
        required: ['order', 'amount', 'currency'],
        additionalProperties: false,
        properties: {
          order: { type: 'string', pattern: '^R-[0-9]+$' },
          amount: { type: 'number', minimum: 0, maximum: 500, multipleOf: 0.01 },
          currency: { enum: ['EUR', 'USD', 'TWD'] },
          due: { type: 'string', format: 'date' },
          notify: { type: 'boolean', default: true },
          note: { type: 'string', maxLength: 500 },
        },
      },
    },
  ],
  rules: [{ tools: ['refund'], assert: 'args.amount <= state.paid', message: 'No more than was paid' }],
};

const FACTS = {
  state: { verified: true, orders: ['R-16', 'R-17'], paid: 120.5 },
  now: Date.UTC(2026, 2, 4, 9),
  tools: {},
};

const AS_DECLARED = {
  order: 'R-17',
  amount: 19.99,
  currency: 'EUR',
  due: '2026-03-04',
  notify: true,
  note: 'Charged twice for the same order, the second time by mistake.',
};
const AS_SPELLED = { ...AS_DECLARED, amount: '19.99', currency: 'eur', due: '4 March 2026', notify: 'yes' };

export async function judge({ n }) {
  const { definition } = readContract(CONTRACT);
  const contract = compileContract(definition);
  return { declared: measured(contract, AS_DECLARED, n), spelled: measured(contract, AS_SPELLED, n) };
}

/** µs a call. The texts differ from call to call, as those of a model would. */
function measured(contract, args, n) {
  const times = [];
  for (let i = 0; i < WARM + n; i += 1) {
    const call = { id: `call_${i}`, tool: 'refund', arguments: JSON.stringify({ ...args, note: `${args.note} ${i}` }) };
    const from = now();
    const judgement = judgeCall(contract, call, FACTS);
    const took = now() - from;
    expect(judgement.verdict === 'ready', 'the gate refused a call');
    if (i >= WARM) times.push(took * 1000);
  }
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
}
