import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DESK } from '../testing/graphs.ts';
import { Workbench } from '../testing/workbench.ts';
import { readGraphFile } from './graph-file.ts';

it('a graph of a file knows the folder that its paths are relative to, whatever the working folder', async () => {
  const bench = new Workbench();
  bench.file('graphs/desk.yaml', DESK);
  const { graphs } = await readGraphFile('desk.yaml', join(bench.folder, 'graphs/desk.yaml'), []);
  expect(graphs.map(({ folder }) => folder)).toEqual([join(bench.folder, 'graphs')]);
  bench.remove();
});
