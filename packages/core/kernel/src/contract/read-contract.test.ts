import { describe, expect, it } from 'vitest';
import { ExprType } from '../expression/expr-type.ts';
import type { JsonObject, JsonValue } from '../json/value.ts';
import { type ReadContractOptions, readContract } from './read-contract.ts';
import { contractOf, RECRUITER, REFUNDS, withTool } from './testing/contracts.ts';

function faultsOf(document: JsonValue, options?: ReadContractOptions): string[] {
  return readContract(document, options).faults.map(({ severity, code, pointer }) => `${severity} ${code} ${pointer}`);
}

function errorsOf(document: JsonValue, options?: ReadContractOptions): string[] {
  return faultsOf(document, options).filter(fault => fault.startsWith('error'));
}

const agent = (members: JsonObject): JsonObject => ({ agent_name: 'a', allowed_tools: [], ...members });
const tool = (members: JsonObject): JsonObject =>
  agent({ allowed_tools: [{ name: 't', effect: 'read', input_schema: { type: 'object' }, ...members }] });

describe('readContract', () => {
  it('the plain form loads as it stands', () => {
    const { definition } = readContract(RECRUITER);
    expect(definition).toMatchObject({
      name: 'hr_recruiter',
      version: '1.0',
      tools: { get_candidate_info: { effect: 'once', normalize: true, parallel: false, bind: {}, writes: {} } },
      prompts: [{ condition: 'state.user_complaints >= 3', template: 'Use a formal, careful tone.', priority: 0 }],
      rules: [],
    });
    expect(errorsOf(RECRUITER)).toEqual([]);
  });

  it('every addition is read into one form, whatever its short spelling', () => {
    const { tools, ...contract } = contractOf(REFUNDS);
    expect(tools.find_order).toMatchObject({
      writes: { paid: 'output.paid' },
      bridge: { template: 'Paid: {{ output.paid }}' },
      retry: { attempts: 3, maxBackoff: '10s', on: ['Timeout'] },
    });
    expect(tools.refund).toMatchObject({
      bind: { '/order': 'state.order', '/amount': '[state.paid]' },
      approval: { when: 'args.amount > 100', quorum: 2, fourEyes: true },
      limits: { perRun: 3, perSession: 5 },
      sensitive: ['/iban'],
      cost: { money: { amount: '0.05', currency: 'EUR' }, time: 2000 },
    });
    expect(contract).toMatchObject({
      budgets: { run: { tokens: 10_000, money: { amount: '1.50', currency: 'EUR' } }, onReached: 'ask' },
      confidence: { below: 0.6 },
    });
  });

  it('snake_case and camelCase are one, and both at once is told', () => {
    const snake = contractOf(tool({ output_schema: { type: 'string' }, idempotency_key: "'k'" }));
    const camel = contractOf({
      agentName: 'a',
      allowedTools: [
        {
          name: 't',
          effect: 'read',
          inputSchema: { type: 'object' },
          outputSchema: { type: 'string' },
          idempotencyKey: "'k'",
        },
      ],
    });
    expect(camel).toEqual(snake);
    expect(errorsOf(tool({ inputSchema: {} }))).toEqual(['error KeyTwice /allowed_tools/0/inputSchema']);
  });

  it.each<[string, JsonValue, JsonObject | undefined]>([
    ['always', true, {}],
    ['never', false, undefined],
    ['when', 'args.x', { when: 'args.x' }],
  ])('an approval may be said in one word: %s', (_, approval, expected) => {
    const input = { type: 'object', required: ['x'], properties: { x: { type: 'boolean' } } };
    expect(contractOf(tool({ approval, input_schema: input })).tools.t!.approval).toEqual(expected);
  });

  it('no allowed tools means nothing may be called, and leaving them out is told', () => {
    expect(contractOf(agent({})).tools).toEqual({});
    expect(errorsOf({ agent_name: 'a' })).toEqual(['error MissingKey ']);
  });

  it('a tool without a schema takes no arguments, and that is told', () => {
    const document = agent({ allowed_tools: [{ name: 'now', effect: 'read' }] });
    expect(faultsOf(document)).toEqual(['warning NoInputSchema /allowed_tools/0']);
    expect(contractOf(document).tools.now!.input).toEqual({ type: 'object', additionalProperties: false });
  });

  it('names everything that is wrong at once, each at its place in the document', () => {
    const document: JsonValue = {
      agent_nam: 'x',
      allowed_tools: [
        { name: 'a', input_schema: { type: 'objec' }, effekt: 'read' },
        { name: 'a', input_schema: { type: 'object' } },
        { input_schema: { type: 'object' } },
        { name: 'b', input_schema: { type: 'string' }, effect: 'twice', timeout: '5 parsecs', limits: { per_run: -1 } },
        { name: 'two words', input_schema: {}, approval: { quorum: 0 }, cost: { money: '5' } },
      ],
      rules: [{ assert: 'args.x >' }],
      budgets: { on_reached: 'panic' },
      confidence: 2,
      __proto: 1,
    };
    expect(errorsOf(document)).toEqual([
      'error UnknownKey /agent_nam',
      'error InvalidSchema /allowed_tools/0/input_schema/type',
      'error UnknownKey /allowed_tools/0/effekt',
      'error DuplicateTool /allowed_tools/1/name',
      'error MissingKey /allowed_tools/2',
      'error UnknownValue /allowed_tools/3/effect',
      'error InvalidDuration /allowed_tools/3/timeout',
      'error OutOfRange /allowed_tools/3/limits/per_run',
      'error InvalidName /allowed_tools/4/name',
      'error OutOfRange /allowed_tools/4/approval/quorum',
      'error InvalidAmount /allowed_tools/4/cost/money',
      'error MissingKey /rules/0',
      'error UnknownValue /budgets/on_reached',
      'error OutOfRange /confidence',
      'error UnknownKey /__proto',
      'error MissingKey ',
      'error InvalidSchema /allowed_tools/3/input_schema/type',
      'error ExpressionSyntax /rules/0/assert',
    ]);
  });

  it.each<[place: string, of: JsonObject]>([
    ['/allowed_tools/0/approval/assignees/1', tool({ approval: { assignees: ['role:lead', 'finance'] } })],
    ['/confidence/assign/0', agent({ confidence: { below: 0.5, assign: ['finance'] } })],
  ])('whoever is to be asked is named with a kind, or that is told: %s', (place, document) => {
    expect(errorsOf(document)).toEqual([`error InvalidAssignee ${place}`]);
  });

  it('refuses keys that would reach a prototype, wherever they stand', () => {
    const document = JSON.parse(
      '{"agent_name":"a","__proto__":1,"allowed_tools":[{"name":"t","constructor":1,"input_schema":{"properties":{"prototype":{}}}},{"name":"__proto__","input_schema":{}}]}',
    );
    expect(errorsOf(document)).toEqual([
      'error DangerousKey /__proto__',
      'error DangerousKey /allowed_tools/0/constructor',
      'error DangerousKey /allowed_tools/0/input_schema/properties/prototype',
      'error InvalidName /allowed_tools/1/name',
    ]);
    expect(errorsOf(tool({ writes: { key: '__proto__', value: '1' } }))).toEqual([
      'error DangerousKey /allowed_tools/0/writes/key',
    ]);
  });

  it('C33: a default outside its own schema is refused', () => {
    const input = { type: 'object', properties: { n: { type: 'integer', maximum: 3, default: 4 } } };
    expect(errorsOf(tool({ input_schema: input }))).toEqual([
      'error DefaultOutOfBounds /allowed_tools/0/input_schema/properties/n/default',
    ]);
  });

  describe('expressions', () => {
    const input = { type: 'object', required: ['id'], properties: { id: { type: 'string' }, n: { type: 'integer' } } };
    const typed = (members: JsonObject) => errorsOf(tool({ input_schema: input, ...members }));

    it('are checked with what they may name: `when` sees no arguments, an approval sees no result', () => {
      expect(typed({ when: "args.id == 'x'" })).toEqual(['error ExpressionType /allowed_tools/0/when']);
      expect(typed({ approval: 'output.ok' })).toEqual(['error ExpressionType /allowed_tools/0/approval']);
      expect(typed({ writes: { id: 'args.id + output.name' } })).toEqual([]);
    });

    it('read arguments by their schema: another name, another type and an optional one without a guard are faults', () => {
      expect(typed({ approval: "args.idd == ''" })).toEqual(['error ExpressionType /allowed_tools/0/approval']);
      expect(typed({ approval: 'args.id > 5' })).toEqual(['error ExpressionType /allowed_tools/0/approval']);
      expect(typed({ approval: { when: 'args.n > 5' } })).toEqual([
        'error OptionalRead /allowed_tools/0/approval/when',
      ]);
      expect(typed({ approval: 'has(args.n) && args.n > 5' })).toEqual([]);
    });

    it('read results by their schema', () => {
      const output = { type: 'object', required: ['ok'], properties: { ok: { type: 'boolean' } } };
      expect(typed({ output_schema: output, writes: { key: 'done', value: 'output.okay' } })).toEqual([
        'error ExpressionType /allowed_tools/0/writes/value',
      ]);
    });

    it('read the history of the tools of the contract, and of no others', () => {
      expect(typed({ when: 'tools.t.failedInARow < 3' })).toEqual([]);
      expect(typed({ when: 'tools.u.calls < 3' })).toEqual(['error ExpressionType /allowed_tools/0/when']);
    });

    it('inside texts are checked where they stand', () => {
      const [fault] = readContract(tool({ bridge: 'Id {{ args.id }}, {{ args.i }}', input_schema: input })).faults;
      expect(fault).toMatchObject({ code: 'ExpressionType', pointer: '/allowed_tools/0/bridge' });
      expect('Id {{ args.id }}, {{ args.i }}'.slice(fault!.offset)).toMatch(/^\.?i? ?.*\}\}$/);
      expect(errorsOf(agent({ dynamic_prompts: [{ condition: 'true', template: 'Dear {{ state.name' }] }))).toEqual([
        'error ExpressionSyntax /dynamic_prompts/0/template',
      ]);
    });

    it('of a rule see the arguments of the tools it names', () => {
      const rule = (assert: string, tools?: JsonValue) =>
        errorsOf({
          ...tool({ input_schema: input }),
          rules: [{ assert, message: 'No.', ...(tools === undefined ? {} : { tools }) }],
        });
      expect(rule("args.id != ''", ['t'])).toEqual([]);
      expect(rule("args.name != ''", 't')).toEqual(['error ExpressionType /rules/0/assert']);
      expect(rule("tool == 't' || args.name != ''")).toEqual([]);
      expect(rule('true', ['t', 'u'])).toEqual(['error UnknownTool /rules/0/tools/1']);
      expect(rule('true', [])).toEqual(['error UnknownTool /rules/0/tools']);
    });

    it('are checked against the state of the graph, where it is given', () => {
      const types = { state: ExprType.object({ step: ExprType.string }) };
      expect(errorsOf(tool({ when: 'state.stepp' }))).toEqual([]);
      expect(errorsOf(tool({ when: "state.stepp == ''" }), { types })).toEqual([
        'error ExpressionType /allowed_tools/0/when',
      ]);
      expect(faultsOf(tool({ writes: { stepp: 'output' } }), { types })).toEqual([
        'warning UnknownStateKey /allowed_tools/0/writes/stepp',
      ]);
    });
  });

  it('a tool that is done at most once is tried again only with a key', () => {
    const once = (members: JsonObject) => faultsOf(tool({ effect: 'once', ...members }));
    expect(once({ retry: { attempts: 2 } })).toEqual(['error RetryWithoutKey /allowed_tools/0/retry']);
    expect(once({ retry: { attempts: 2 }, idempotency_key: 'run.id' })).toEqual([]);
    expect(once({ retry: { attempts: 1 }, approval: true })).toEqual([]);
    expect(faultsOf(tool({ effect: 'repeat', retry: { attempts: 2 } }))).toEqual([]);
  });

  it('warns of a tool that is done at most once, with nobody asked and no key to find it again by', () => {
    expect(faultsOf(tool({ effect: 'once' }))).toEqual(['warning UnguardedOnce /allowed_tools/0']);
  });

  it('what is bound, masked or used to compensate must be there', () => {
    const changed = (members: JsonObject) => errorsOf(withTool(REFUNDS, 'refund', members));
    expect(changed({ bind: { ordr: 'state.order' } })).toEqual(['error UnknownArgument /allowed_tools/1/bind/ordr']);
    expect(changed({ bind: { '/order/id': 'state.order' } })).toEqual([
      'error UnknownArgument /allowed_tools/1/bind/~1order~1id',
    ]);
    expect(changed({ sensitive: ['iban', '/bic'] })).toEqual(['error UnknownArgument /allowed_tools/1/sensitive/1']);
    expect(changed({ compensate: 'undo' })).toEqual(['error UnknownTool /allowed_tools/1/compensate']);
    expect(changed({ compensate: 'cancel_refund' })).toEqual(['error MissingKey /allowed_tools/1/compensate']);
    expect(changed({ compensate: { tool: 'cancel_refund', args: { order: 'args.order', why: '1' } } })).toEqual([
      'error UnknownArgument /allowed_tools/1/compensate/args/why',
    ]);
  });
});
