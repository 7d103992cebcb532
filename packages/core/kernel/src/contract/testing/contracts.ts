import type { JsonObject, JsonValue } from '../../json/value.ts';
import type { ContractDefinition } from '../definition.ts';
import { readContract } from '../read-contract.ts';

/** The plain form, as it is written by hand. */
export const RECRUITER: JsonObject = {
  version: '1.0',
  agent_name: 'hr_recruiter',
  allowed_tools: [
    {
      name: 'get_candidate_info',
      description: 'Look up a candidate by id',
      input_schema: {
        type: 'object',
        required: ['candidate_id'],
        properties: { candidate_id: { type: 'string', pattern: '^cand_[a-z0-9]{8}$' } },
      },
      output_schema: {
        type: 'object',
        properties: { name: { type: 'string' }, years_experience: { type: 'number', minimum: 0 } },
      },
    },
  ],
  dynamic_prompts: [{ condition: 'state.user_complaints >= 3', template: 'Use a formal, careful tone.' }],
};

/** Everything that can be said of a tool and of an agent. */
export const REFUNDS: JsonObject = {
  version: '2',
  agent_name: 'refunds',
  description: 'Refunds orders',
  allowed_tools: [
    {
      name: 'find_order',
      effect: 'read',
      input_schema: { type: 'object', required: ['order'], properties: { order: { type: 'string' } } },
      output_schema: {
        type: 'object',
        required: ['paid'],
        properties: { paid: { type: 'number' }, note: { type: ['string', 'null'] } },
      },
      retry: { attempts: 3, max_backoff: '10s', on: ['Timeout'] },
      parallel: true,
      writes: { key: 'paid', value: 'output.paid' },
      bridge: 'Paid: {{ output.paid }}',
    },
    {
      name: 'refund',
      description: 'Pays money back',
      input_schema: {
        type: 'object',
        required: ['order', 'amount'],
        properties: {
          order: { type: 'string' },
          amount: { type: 'number', exclusiveMinimum: 0, maximum: 500 },
          currency: { enum: ['EUR', 'USD'], default: 'EUR' },
          iban: { type: 'string' },
        },
        additionalProperties: false,
      },
      when: "state.step == 'refund' && tools.find_order.succeeded > 0",
      bind: { order: 'state.order', '/amount': '[state.paid]' },
      normalize: false,
      approval: { when: 'args.amount > 100', assignees: ['role:finance'], quorum: 2, four_eyes: true, deadline: '1d' },
      idempotency_key: "state.order + '/' + args.currency",
      timeout: '1m',
      limits: { per_run: 3, per_session: 5 },
      sensitive: ['iban'],
      sensitive_output: ['/iban'],
      compensate: { tool: 'cancel_refund', args: { order: 'args.order' } },
      cost: { money: '0.05 EUR', time: '2s' },
    },
    {
      name: 'cancel_refund',
      effect: 'repeat',
      input_schema: { type: 'object', required: ['order'], properties: { order: { type: 'string' } } },
    },
  ],
  dynamic_prompts: [{ condition: 'state.angry', template: 'Order {{ state.order }} matters.', priority: 2 }],
  rules: [{ tools: ['refund'], assert: 'args.amount <= 400', message: 'At most 400 at a time.' }],
  budgets: { run: { tokens: 10_000, money: { amount: '1.50', currency: 'EUR' } }, on_reached: 'ask' },
  output_schema: { type: 'object', required: ['reply'], properties: { reply: { type: 'string' } } },
  output_rules: [{ assert: 'size(output.reply) < 500', message: 'Keep it short.' }],
  confidence: 0.6,
};

/** The definition of a document without faults. */
export function contractOf(document: JsonValue, base?: ContractDefinition): ContractDefinition {
  const { definition, faults } = readContract(document, base === undefined ? {} : { base: () => base });
  if (definition === undefined) throw new TypeError(JSON.stringify(faults));
  return definition;
}

/** A document with some of the members of one of its tools changed; undefined takes a member away. */
export function withTool(
  document: JsonObject,
  name: string,
  members: Readonly<Record<string, JsonValue | undefined>>,
): JsonObject {
  const tools = (document.allowed_tools as readonly JsonObject[]).map(tool =>
    tool.name === name ? present({ ...tool, ...members }) : tool,
  );
  return { ...document, allowed_tools: tools };
}

function present(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as JsonObject;
}
