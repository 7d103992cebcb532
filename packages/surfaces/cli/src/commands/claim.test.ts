import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ErrorJson, RunJson } from '../testing/documents.ts';
import { DESK } from '../testing/graphs.ts';
import { Workbench } from '../testing/workbench.ts';

let bench: Workbench;

beforeAll(() => {
  bench = new Workbench();
  bench.file('desk.yaml', DESK);
});
afterAll(() => bench.remove());

async function ask(): Promise<string> {
  return (await bench.json<RunJson>('run', 'desk.yaml', '--input', '{"message":"hi"}')).json.requests[0]!.id;
}

const tried = async (...argv: string[]) => {
  const { code, json } = await bench.json<RunJson & Partial<ErrorJson>>(...argv);
  return [code, json.error?.code ?? json.status];
};

it('a question is claimed, kept from others, taken over and given back', async () => {
  const id = await ask();
  expect(await tried('claim', id, '--as', 'user:mia')).toEqual([0, 'suspended']);
  expect(await tried('claim', id, '--as', 'user:li')).toEqual([1, 'AlreadyClaimed']);
  expect(await tried('answer', id, '--action', 'reject', '--as', 'user:li')).toEqual([1, 'AlreadyClaimed']);
  expect(await tried('claim', id, '--as', 'user:li', '--take-over')).toEqual([0, 'suspended']);
  expect(await tried('release', id, '--as', 'user:li', '--reason', 'lunch')).toEqual([0, 'suspended']);
  expect(await tried('release', id, '--as', 'user:li')).toEqual([1, 'NotClaimed']);
});

it('a question is withdrawn, and whoever answers later is told why', async () => {
  const id = await ask();
  expect(await tried('withdraw', id, '--as', 'user:mia', '--reason', 'sent twice')).toEqual([0, 'completed']);
  const { json } = await bench.json<ErrorJson>('answer', id, '--action', 'approve');
  expect(json.error).toMatchObject({ code: 'RequestClosed' });
  expect(json.error.message).toContain('sent twice');
});

it.each(['claim', 'release', 'withdraw', 'answer'])(
  '%s takes the beginning of an id, and a run for its one question',
  async command => {
    const shop = new Workbench();
    shop.file('desk.yaml', DESK);
    const { runId, requests } = (await shop.json<RunJson>('run', 'desk.yaml', '--input', '{"message":"hi"}')).json;
    const [{ id } = { id: '' }] = requests;
    const act = async (named: string) => {
      await shop.run('claim', id, '--as', 'user:mia', '--take-over');
      const more = command === 'answer' ? ['--action', 'reject'] : [];
      return (await shop.json<RunJson & Partial<ErrorJson>>(command, named, '--as', 'user:mia', ...more)).json;
    };
    for (const named of [id.slice(0, 3), 'req_00000000']) expect((await act(named)).error?.code).toBe('UnknownRequest');
    for (const named of [id.slice(0, 16), runId, runId.slice(0, 16)]) {
      const { error, runId: acted } = await act(named);
      const isFirst = named === id.slice(0, 16) || command === 'claim' || command === 'release';
      if (isFirst) expect(acted).toBe(runId);
      else expect(error?.code).toBe('UnknownRequest');
    }
    shop.remove();
  },
);

it('who has a role is told by the configuration, and a service is asked by its resolver', async () => {
  const office = new Workbench();
  office.file('paid.yaml', FOR_A_ROLE);
  office.file('signalbox.config.ts', DIRECTORY);
  const { json } = await office.json<RunJson>('run', 'paid.yaml', '--input', '{}');
  const act = async (...argv: string[]) => {
    const { code, json } = await office.json<RunJson & Partial<ErrorJson>>(...argv);
    return [code, json.error?.code ?? json.status];
  };
  const [{ id } = { id: '' }] = json.requests;
  expect(await act('claim', id, '--as', 'user:li')).toEqual([1, 'NotAssigned']);
  expect(await act('answer', id, '--action', 'approve', '--as', 'user:li')).toEqual([1, 'NotAssigned']);
  expect(await act('answer', id, '--action', 'approve', '--as', 'user:mia')).toEqual([0, 'completed']);
  expect((await office.json<RunJson>('show', json.runId)).json.output).toEqual({ risk: 'none' });
  office.remove();
});

it('the question tells who has approved, who may not, who has claimed it, and how exactly what is asked is approved', async () => {
  const office = new Workbench();
  office.file('spend.yaml', FOR_TWO);
  const { runId, requests } = (await office.json<RunJson>('run', 'spend.yaml', '--input', '{}')).json;
  const [{ id } = { id: '' }] = requests;
  const approve = async (as: string) => await office.run('answer', id, '--action', 'approve', '--as', as);
  expect((await office.run('show', runId)).stdout).toContain(`
  0 of 2 approvals
  not by who asked for it  user:ada
  sum  number required
  signalbox answer ${id} --action approve
`);
  expect((await approve('user:mia')).stdout).toContain('\n  1 of 2 approvals  user:mia\n');
  expect((await office.run('claim', id, '--as', 'user:li')).stdout).toContain('\n  claimed by user:li\n');
  expect((await approve('user:li')).code).toBe(0);
  office.remove();
});

const FOR_TWO = `name: spend
entry: pay
input: { type: object }
nodes:
  pay:
    type: ask
    request:
      title: Pay?
      fields: [{ name: sum, type: number, label: Sum, required: true }]
      proposal: { values: { sum: 5 } }
      subject: { sum: 5 }
      quorum: 2
      fourEyes: true
      requester: user:ada
`;

const FOR_A_ROLE = `name: paid
entry: pay
input: { type: object }
nodes:
  pay: { type: ask, request: { kind: confirmation, title: Pay?, assign: 'role:finance' } }
  risk:
    type: ask
    request: { title: Which risk?, assign: ['service:risk', 'role:finance'], fields: [{ name: risk, type: text, label: Risk }] }
  told: { type: transform, output: { risk: nodes.risk.output.values.risk.orValue('unknown') } }
routes:
  pay: [{ to: risk }]
  risk: [{ to: told }]
`;

const DIRECTORY = `import { defineConfig } from 'signalbox';

export default defineConfig({
  identity: { rolesOf: ({ id }) => (id === 'mia' ? ['finance'] : []) },
  resolvers: { risk: () => ({ values: { risk: 'none' } }) },
});
`;
