import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { agentType, defineGraph, type Graph, graphFromDefinition, loadContractFile, loadGraph } from '@signalbox/core';
import { contractHash } from '@signalbox/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { scriptedModel } from './scripted-model.ts';
import { testbox } from './testbox.ts';

const GRAPH = `
name: desk
entry: agent
nodes:
  agent:
    type: agent
    timeout: 1m
    with: { model: test/one, contract: contracts/desk.yaml, prompt: Hello }
`;

let home: string;

/** A folder with a contract file of its own. */
function folder(name: string, confidence: number): string {
  const path = join(home, name);
  mkdirSync(join(path, 'contracts'), { recursive: true });
  writeFileSync(join(path, 'contracts/desk.yaml'), `agent_name: desk\nallowed_tools: []\nconfidence: ${confidence}\n`);
  return path;
}

const hashOf = (at: string) => contractHash(loadContractFile(join(at, 'contracts/desk.yaml')).definition!);

function graphAt(at: string): Graph {
  const types = [agentType()];
  const { definition } = loadGraph(GRAPH, { types: { agent: { rev: 1 } } });
  return graphFromDefinition(definition!, types, { folder: at });
}

async function pinnedBy(graph: Graph): Promise<unknown> {
  const box = testbox({ graphs: [graph], models: scriptedModel(['Hello.']) });
  const run = await box.start(graph, {});
  await run.settled();
  const { run: loaded } = await box.engine.load(run.id);
  await box.close();
  return loaded.contracts;
}

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'contracts-'));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe('the path of a contract', () => {
  it('is relative to the graph file that names it, and the version does not depend on where that is', async () => {
    const [one, two] = [folder('one', 0.1), folder('two', 0.2)];
    expect(await pinnedBy(graphAt(one))).toEqual({ 'contracts/desk.yaml': hashOf(one) });
    expect(await pinnedBy(graphAt(two))).toEqual({ 'contracts/desk.yaml': hashOf(two) });
    expect(graphAt(one).versionHash).toBe(graphAt(two).versionHash);
  });

  it('is beside the code where it is given as a URL, and does not tell where that is', async () => {
    const at = folder('three', 0.3);
    const contract = new URL('contracts/desk.yaml', `${pathToFileURL(at).href}/`);
    const desk = defineGraph({ name: 'desk', input: z.object({}) });
    const agent = desk.agent({ model: 'test/one', contract, prompt: 'Hello', timeout: '1m' });
    const graph = desk.build({ entry: 'agent', nodes: { agent }, routes: {} });
    expect(await pinnedBy(graph as unknown as Graph)).toEqual({ 'desk.yaml': hashOf(at) });
    expect(JSON.stringify(graph.definition)).not.toContain(home);
  });

  it('tells where a file was looked for that is not there', async () => {
    const box = testbox({ graphs: [graphAt(join(home, 'nowhere'))], models: scriptedModel([]) });
    await expect(box.start('desk', {})).rejects.toMatchObject({
      code: 'UnknownFile',
      message: expect.stringContaining(join(home, 'nowhere', 'contracts/desk.yaml')),
      hint: expect.stringContaining('contracts/desk.yaml'),
    });
    await box.close();
  });

  it('must not name two contracts by one name', async () => {
    const at = [folder('four', 0.4), folder('five', 0.5)];
    const urls = at.map(path => new URL('contracts/desk.yaml', `${pathToFileURL(path).href}/`));
    const desk = defineGraph({ name: 'desk', input: z.object({}) });
    const [a, b] = urls.map(contract => desk.agent({ model: 'test/one', contract, prompt: 'Hi', timeout: '1m' }));
    const graph = desk.build({ entry: 'a', nodes: { a: a!, b: b! }, routes: { a: [{ to: 'b' }] } });
    const box = testbox({ graphs: [graph], models: scriptedModel([]) });
    await expect(box.start(graph, {})).rejects.toMatchObject({ code: 'DuplicateContract' });
    await box.close();
  });
});
