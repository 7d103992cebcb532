import { type ScriptedModel, type ScriptLine, scriptedModel, type Testbox, testbox } from '@signalbox/testkit';
import { type ContractChoice, defineGraph, type ToolCode } from 'signalbox';
import { z } from 'zod';

export interface DeskOptions {
  readonly tools?: Readonly<Record<string, ToolCode>>;
  readonly allowed?: readonly object[];
  /** What else the contract says. */
  readonly contract?: object;
  readonly says: readonly ScriptLine[];
  readonly agent?: object;
  readonly limits?: object;
}

const ANYTHING = { type: 'object' };

/** A tool of a contract: its name, and what differs from taking anything. */
export function tool(name: string, more: object = {}): object {
  return { name, effect: 'read', input_schema: ANYTHING, ...more };
}

/** A graph of one agent behind a step that sets its state, and a box with a scripted model. */
export function deskGraph({ tools = {}, allowed = [], contract = {}, agent = {}, limits }: Omit<DeskOptions, 'says'>) {
  const builder = defineGraph({
    name: 'desk',
    input: z.object({ ask: z.string().default('Go.'), state: z.record(z.string(), z.json()).default({}) }),
    state: z.object({
      step: z.string().optional(),
      complaints: z.number().default(0),
      known: z.array(z.string()).default([]),
      found: z.json().optional(),
    }),
    ...(limits === undefined ? {} : { limits }),
  });
  const before = builder.step(({ input, update }) => {
    update(input.state as never);
  });
  const work = builder.agent({
    model: 'test/one',
    contract: { version: '1.0', agent_name: 'desk', allowed_tools: allowed, ...contract } as ContractChoice,
    tools,
    prompt: ({ input }) => input.ask,
    timeout: '1h',
    ...agent,
  });
  return builder.build({ entry: 'before', nodes: { before, work }, routes: { before: [{ to: 'work' }] } });
}

export interface Desk {
  readonly box: Testbox;
  readonly models: ScriptedModel;
  /** Starts a run and lets it come to rest. */
  run(input?: object): Promise<Awaited<ReturnType<Testbox['start']>>>;
}

export function desk({ says, ...options }: DeskOptions): Desk {
  const models = scriptedModel(says);
  const box = testbox({ graphs: [deskGraph(options)], models });
  const run: Desk['run'] = async (input = {}) => {
    const started = await box.start('desk', input as never);
    await started.settled();
    return started;
  };
  return { box, models, run };
}

/** A reply that calls one tool. */
export function calls(name: string, args: object | string = {}): ScriptLine {
  return { calls: [{ tool: name, arguments: args as never }] };
}

/** Data of all events of one type, in order. */
export async function eventsOf(
  box: Pick<Testbox, 'get'>,
  runId: string,
  type: string,
): Promise<Record<string, unknown>[]> {
  const found: Record<string, unknown>[] = [];
  for await (const event of box.get(runId).events())
    if (event.type === type) found.push(event.data as Record<string, unknown>);
  return found;
}

/** What the model was told last, of a tool. */
export function toldLast(models: ScriptedModel): unknown {
  const last = models.requests.at(-1)!.messages.at(-1)!;
  return last.role === 'tool' ? last.result : last.text;
}
