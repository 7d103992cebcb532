/** W9: a contract of many tools, in a process that has just started. */
import { createRequire } from 'node:module';
import { compileContract, readContract } from '@signalbox/kernel';
import { expect, timed } from '../lib/measure.mjs';

const { Ajv2020 } = createRequire(import.meta.resolve('@signalbox/kernel'))('ajv/dist/2020.js');

/** Six fields of the kinds that arguments have; no two tools alike, so that nothing is compiled once for all. */
const inputOf = index => ({
  type: 'object',
  required: ['id', 'amount'],
  properties: {
    id: { type: 'string', pattern: `^cand_[a-z0-9]{${4 + index}}$` },
    amount: { type: 'number', exclusiveMinimum: 0, maximum: 500 + index },
    currency: { enum: ['EUR', 'USD', `X${index}`] },
    day: { type: 'string', format: 'date' },
    note: { type: 'string', maxLength: 200 + index },
    tags: { type: 'array', items: { type: 'string', minLength: 1 }, maxItems: 5 },
  },
  additionalProperties: false,
});

const outputOf = index => ({
  type: 'object',
  required: ['ok'],
  properties: { ok: { type: 'boolean' }, name: { type: 'string', maxLength: 10 + index } },
});

/** Every tool is bound; every fourth exists in one state only and needs an approval. */
function contract(tools) {
  return {
    version: '1.0',
    agent_name: 'many',
    allowed_tools: Array.from({ length: tools }, (_, index) => ({
      name: `tool_${index}`,
      description: `The tool ${index}`,
      effect: 'read',
      input_schema: inputOf(index),
      output_schema: outputOf(index),
      bind: { id: 'state.candidates' },
      ...(index % 4 === 0 ? { when: `state.step == 'step_${index}'`, approval: `args.amount > ${index}` } : {}),
    })),
  };
}

/** As `signalbox contract check` does, the reading of the text apart. */
export async function check({ tools }) {
  const document = contract(tools);
  let read;
  const ms = await timed(() => {
    read = readContract(document);
  });
  expect(read.faults.length === 0 && read.definition !== undefined, 'the contract has faults');
  return { ms };
}

/** Of a contract that was checked before: what a process does with it when it starts, and what its first call costs. */
export async function start({ tools }) {
  const definition = checked(tools);
  let compiled;
  const ms = await timed(() => {
    compiled = compileContract(definition);
  });
  const hash = await timed(() => expect(compiled.hash.startsWith('sha256:'), 'the contract has no hash'));
  const args = { id: 'cand_abcd', amount: 1 };
  const firstCall = await timed(() => expect(compiled.tools.get('tool_0').input.validate(args).ok, 'refused'));
  return { ms, hash, firstCall };
}

/** Written out, for reading it would compile half of the code that is to be measured cold. */
function checked(tools) {
  const none = { normalize: true, sensitive: [], sensitiveOutput: [], writes: {}, parallel: false };
  const read = contract(tools).allowed_tools.map(tool => {
    const { name, input_schema: input, output_schema: output, approval, ...rest } = tool;
    const asked = approval === undefined ? {} : { approval: { when: approval } };
    return [name, { ...none, ...rest, input, output, bind: { '/id': rest.bind.id }, ...asked }];
  });
  return { name: 'many', version: '1.0', tools: Object.fromEntries(read), prompts: [], rules: [], outputRules: [] };
}

/** What validators of the arguments alone cost where they are made at once. */
export async function ajvAlone({ tools }) {
  const schemas = Array.from({ length: tools }, (_, index) => inputOf(index));
  const ms = await timed(() => {
    const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false, validateFormats: false });
    for (const schema of schemas) ajv.compile(schema);
  });
  return { ms };
}
